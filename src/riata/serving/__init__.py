"""`riata serve`: models answer over HTTP."""
