"""Columns between tabs or spaces, a token per line, a blank line after each sentence."""

from riata.data.columns import ColumnFormat

FORMAT = ColumnFormat()
