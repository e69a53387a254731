"""Answers to requests that cannot be answered otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from riata.errors import RiataError


class HttpRefusal(Exception):
    """An answer with a status of 4xx, or 503: what is wrong, and what to do."""

    def __init__(self, status: HTTPStatus, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.remedy = status, message, remedy

    @classmethod
    def of(cls, error: RiataError) -> HttpRefusal:
        """A request that is well formed, but that the model cannot answer."""
        return cls(HTTPStatus.UNPROCESSABLE_ENTITY, error.message, error.remedy)

    def content(self) -> dict[str, str]:
        return {"error": self.message, **({"remedy": self.remedy} if self.remedy else {})}


def busy() -> HttpRefusal:
    return HttpRefusal(HTTPStatus.SERVICE_UNAVAILABLE, "The server is busy.", "Try again in a second.")


def late(seconds: float) -> HttpRefusal:
    return HttpRefusal(
        HTTPStatus.SERVICE_UNAVAILABLE,
        f"There was no answer within {seconds:g} seconds.",
        "Try again later, or ask for less: fewer or shorter sentences, or a narrower beam.",
    )


@dataclass(frozen=True)
class Limits:
    """Everything here bounds memory or time. Requests beyond a limit get an answer with status 4xx, beyond `waiting` with 503."""

    body: int = 1 << 20  # bytes of a request
    head: int = 64 << 10  # bytes of the request line and headers
    seconds: float = 10.0  # from the first byte of a request to its answer
    tokens: int = 50_000  # of all sentences of a request
    sentences: int = 2_000  # of a request
    longest: int = 1_000  # tokens of one sentence
    work: int = 200_000  # tokens of a request times outputs of each sentence, or states that a search keeps
    waiting: int = 512  # requests that wait to be predicted
    connections: int = 2_000  # that are open at once
    nbest: int = 100  # outputs of a sentence
    beam: int = 100  # states that a search keeps
    states: int = 20_000  # of a search that is shown
    features: int = 100_000  # of the states that are shown
    traced: int = 10_000  # tokens of a trace times states that its search keeps
    detailed: int = 200  # tokens of a sentence with a trace, or with constraints of the request
    constraints: int = 20  # constraints of the request
    characters: int = 500  # of one constraint
