"""Riata inside other libraries. Each file needs the library that it is named for."""
