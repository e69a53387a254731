"""Template languages: one file per structure, with its name, which defines LANGUAGE."""
