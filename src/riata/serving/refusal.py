"""Answers to requests that cannot be answered otherwise."""

from __future__ import annotations

from http import HTTPStatus

from riata.errors import RiataError


class Refusal(Exception):
    """An answer with a status of 4xx, or 503: what is wrong, and what to do."""

    def __init__(self, status: HTTPStatus, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.remedy = status, message, remedy

    @classmethod
    def of(cls, error: RiataError) -> Refusal:
        """A request that is well formed, but that the model cannot answer."""
        return cls(HTTPStatus.UNPROCESSABLE_ENTITY, error.message, error.remedy)

    def content(self) -> dict[str, str]:
        return {"error": self.message, **({"remedy": self.remedy} if self.remedy else {})}


def busy() -> Refusal:
    return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The server is busy.", "Try again in a second.")


def late(seconds: float) -> Refusal:
    return Refusal(
        HTTPStatus.SERVICE_UNAVAILABLE,
        f"There was no answer within {seconds:g} seconds.",
        "Try again later, or ask for less: fewer or shorter sentences, or a narrower beam.",
    )
