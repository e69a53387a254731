"""How each structure is learnt: one file per structure, named for it, that defines LEARNT."""
