"""Too little memory, in all the forms in which Python and its libraries report it."""

from __future__ import annotations

MESSAGE = """Error: out of memory.
  Use fewer labels, a smaller template, a higher --cutoff, fewer --threads or less data, or raise the limit of memory (ulimit -v).
"""
SIGNS = ("can't start new thread", "failed to map segment", "Cannot allocate memory", "cannot allocate memory")


def is_shortage(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, says that memory is short. A thread needs memory, and so does a library that is loaded."""
    if error is None:
        return False
    said = isinstance(error, (RuntimeError, ImportError, OSError)) and any(sign in str(error) for sign in SIGNS)
    return isinstance(error, MemoryError) or said or is_shortage(error.__cause__)
