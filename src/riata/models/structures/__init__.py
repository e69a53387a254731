"""The outputs of models of each structure: one file per structure, with its name, which defines OUTPUTS."""
