"""Languages of templates: one file per structure, named for it, that defines LANGUAGE."""
