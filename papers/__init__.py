"""Tables and figures of papers, measured again: run from a clone of Riata, as `riata reproduce NAME`.

`tables` has one file for each; the others here are what tables share.
"""

from riata import registry

registry.KINDS["reproduction"] = ("papers.tables", "REPRODUCTION")
