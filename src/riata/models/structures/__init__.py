"""The outputs that models of each structure give: one file per structure, named for it, that defines OUTPUTS."""
