"""How each structure is learnt: one file per structure, with its name, which defines LEARNT."""
