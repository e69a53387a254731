"""Models of other tools as models of Riata: one file per format, in `formats`."""
