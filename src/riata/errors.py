"""Every error a user can meet, in one tree.

RiataError
├── DataError            a corpus, a label or a value that cannot be used
│   └── LabelError       a tag that is illegal in its encoding, or unknown to the model
├── TemplateError        a feature template that cannot be read or does not fit the data
├── SettingError         a setting, or a value of one, that does not exist
│   └── UnknownNameError a name that no registry knows; carries the nearest known names
├── UnsupportedError     a combination that has no meaning, with the reason
├── SearchError          a search that found nothing, or that contradicts itself
├── NotFittedError       an estimator that has not been trained yet
└── ModelFileError       a file that is not a usable model

>>> isinstance(riata.errors.DataError("no tokens"), riata.RiataError)
True
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType


__all__ = [
    "DataError",
    "LabelError",
    "ModelFileError",
    "NotFittedError",
    "RiataError",
    "RiataWarning",
    "SearchError",
    "SettingError",
    "TemplateError",
    "UnknownNameError",
    "UnsupportedError",
]

_LONGEST = 200  # characters of a message without a space: a token may have a million
_LONG = re.compile(rf"\S{{{_LONGEST + 1},}}")


def shortened(message: str) -> str:
    """The message with what is too long to be read cut in its middle."""
    return _LONG.sub(lambda long: f"{long[0][:60]}…{long[0][-20:]}", message)


def printed(value: object) -> str:
    """The repr of any value, for a message: also of a number with more digits than Python prints."""
    try:
        return repr(value)
    except Exception:  # of a user's class, or of a number within a list
        digits = f"number of about {value.bit_length() * 0.30103:,.0f} digits" if isinstance(value, int) else ""
        return f"<{digits or f'{type(value).__name__} that cannot be printed'}>"


class RiataWarning(UserWarning):
    """Something about the data or the training that a user should know.

    >>> import warnings
    >>> warnings.simplefilter("ignore", riata.RiataWarning)
    """


class RiataError(Exception):
    """Bad input or wrong usage. `str()` gives file, line, what was found, what was expected, and the way out.

    >>> try:
    ...     riata.read_columns("missing.txt")
    ... except riata.RiataError as error:
    ...     print(error)
    ...
    missing.txt: no such file.
      Check the path.
    """

    def __init__(
        self, message: str, *, remedy: str = "", file: str | Path | None = None, line: int | None = None
    ) -> None:
        message = shortened(message)
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.file = None if file is None else str(file)
        self.line = line

    def located(self, file: str | Path, line: int | None = None) -> RiataError:
        """The same error, now knowing its file (and line); what it knew already stays."""
        self.file = self.file or str(file)
        self.line = self.line if self.line is not None else line
        return self

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        head = f"{place}: {self.message}" if place else self.message
        return f"{head}\n  {self.remedy}" if self.remedy else head

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.__dict__.copy(), self.args))


class DataError(RiataError, ValueError):
    """A corpus, a label or a value that cannot be used.

    >>> try:
    ...     riata.Tagger().fit([["a"]], [["X", "Y"]])
    ... except riata.errors.DataError as error:
    ...     print(error.message)
    ...
    sentence 0 has 1 tokens and 2 labels; expected one label per token.
    """


class LabelError(DataError):
    """A tag that is illegal in its encoding, or that the model does not know.

    >>> try:
    ...     riata.Chunker(strict=True, encoding="iob2").fit([["a"]], [["I-NP"]])
    ... except riata.errors.LabelError as error:
    ...     print(error.message)
    ...
    label 'I-NP' stands at the start of a sentence, which is illegal in IOB2.
    """


class TemplateError(RiataError, ValueError):
    """A feature template that cannot be read, or that does not fit the data.

    >>> from riata.features.templates import parse
    >>> try:
    ...     parse("word[0")
    ... except riata.errors.TemplateError as error:
    ...     print(error.message)
    ...
    cannot read 'word[0'; expected attribute[offset], such as word[-1], suffix3[0] or shape(2)[1].
    """


class SettingError(RiataError, ValueError):
    """A setting, or a value of one, that does not exist.

    >>> try:
    ...     riata.Tagger(epochs=-1).fit([["a"]], [["X"]])
    ... except riata.errors.SettingError as error:
    ...     print(error.message)
    ...
    setting 'epochs' has the value -1; expected a whole number of at least 1.
    """


class UnknownNameError(SettingError):
    """`UnknownNameError.of("queue", "beem", ["beam", "greedy"])` suggests the near miss and lists what is known.

    A word of other libraries (riata/other_words.py) suggests what it is called here.

    >>> print(riata.errors.UnknownNameError.of("queue", "beem", ["beam", "greedy"]))
    Unknown queue 'beem'. Did you mean 'beam'? Known: beam, greedy.
    """

    @classmethod
    def of(cls, kind: str, name: object, known: Iterable[str], remedy: str = "") -> UnknownNameError:
        import difflib

        from riata.other_words import instead, meant

        names = sorted(known)
        other = instead(kind, name)
        near = [here for here in meant(kind, name) if here in names]
        if not (near or other):
            near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else other and f" {other}"
        return cls(f"Unknown {kind} {name!r}.{hint} Known: {', '.join(names) or 'none'}.", remedy=remedy)


class UnsupportedError(RiataError, ValueError):
    """A combination of choices that has no meaning; the message gives the reason.

    >>> try:
    ...     riata.Tagger("hmm", beam=5).fit([["a"]], [["X"]])
    ... except riata.errors.UnsupportedError as error:
    ...     print(error.message)
    ...
    The recipe 'hmm' searches with the queue 'exact', which has no beam.
    """


class SearchError(RiataError, RuntimeError):
    """A search that found nothing, or a problem that contradicts itself.

    >>> class Stuck(riata.Problem):
    ...     def initial(self, x): return 0
    ...     def actions(self, x, s): return ()
    ...     def apply(self, x, s, a): return s
    ...     def is_goal(self, x, s): return False
    ...     def observe(self, x, s): return []
    ...
    >>> try:
    ...     riata.check_problem(Stuck(), [1])
    ... except riata.errors.SearchError as error:
    ...     print(error.message)
    ...
    example 0, state 0: no goal can be reached from it.
    """


class NotFittedError(RiataError, ValueError, AttributeError):
    """An estimator that is asked for predictions before it is trained.

    >>> try:
    ...     riata.Tagger().predict([["a"]])
    ... except riata.errors.NotFittedError as error:
    ...     print(error.message)
    ...
    This Tagger has not been trained yet.
    """


class ModelFileError(RiataError, ValueError):
    """A file that is not a usable model.

    >>> _ = open("notes.txt", "w").write("no model")
    >>> try:
    ...     riata.load_model("notes.txt")
    ... except riata.errors.ModelFileError as error:
    ...     print(error.message)
    ...
    this is not a Riata model.
    """


def _rebuild(cls: type[RiataError], state: dict[str, object], args: tuple[str, ...]) -> RiataError:
    error = cls(*args)
    error.__dict__.update(state)
    return error


def __dir__() -> list[str]:
    return __all__


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


class AsInterrupt:
    """A context that raises KeyboardInterrupt where one was turned into another error,
    as by a lock of Python's that it took by surprise.
    """

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if isinstance(error, RuntimeError) and isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None


FEWER_LABELS = (
    "Weights grow with the number of labels, and what learns from pairs of labels with its square. "
    "Use fewer labels, a smaller template, a higher cutoff, or less data."
)


class WithinMemory:
    """A context that turns running out of memory during training into an error with a remedy."""

    def __init__(self, remedy: str = FEWER_LABELS) -> None:
        self._remedy = remedy

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if isinstance(error, (MemoryError, RuntimeError)) and is_shortage(error):
            raise DataError("out of memory: training needs more than there is.", remedy=self._remedy) from None
