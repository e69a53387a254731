"""Tables and figures of papers, one file each: `riata reproduce NAME`."""
