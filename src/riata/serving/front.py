"""The application: answers /predict itself, as fast as it can, and leaves all other paths to the application behind it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from typing import Any

from pydantic_core import to_json

from riata.errors import RiataError
from riata.serving.asking import Question, asked, question
from riata.serving.batching import Batcher
from riata.serving.measures import Measures
from riata.serving.refusal import HttpRefusal, Limits
from riata.serving.served import Served
from riata.serving.shelf import Shelf

LOG = logging.getLogger("riata.serving")
PREDICT = "/predict"
EXPLAIN = "/explain"
OWN = (b"same-origin", b"none")  # Sec-Fetch-Site of the server's own pages, and of people who type an address
JSON = b"application/json"
DRAINED = 16  # times the largest body: so much of a body that is too large is read before it is refused

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class Gone(Exception):
    """The client has closed the connection."""


class Front:
    """behind: the application for all other paths. hosts: names that requests may use for the server; None: any."""

    def __init__(self, shelf: Shelf, limits: Limits, hosts: frozenset[str] | None) -> None:
        self.shelf, self.limits = shelf, limits
        self.measures = Measures()
        self.batcher = Batcher(limits, self.measures)
        self.behind: Application | None = None
        self.paths: frozenset[str] = frozenset()  # that are counted by name
        self._hosts = hosts

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        assert self.behind is not None
        if scope["type"] != "http":
            await self.behind(scope, receive, send)
            return
        path: str = scope["path"]
        headers = dict(scope["headers"])
        try:
            self._check_host(headers)
            _check_site(path, headers)
            if path == PREDICT and scope["method"] == "POST":
                status, content = HTTPStatus.OK, await self._predict(headers, receive)
            else:
                await self._leave(scope, receive, send)
                return
        except HttpRefusal as refusal:
            status, content = refusal.status, to_json(refusal.content())
        except Gone:
            self.measures.answered(path, 499)
            return
        except Exception:
            LOG.exception("%s %s", scope["method"], path)
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            content = to_json({"error": "The server made a mistake, which its log shows."})
        self.measures.answered(path if path == PREDICT else "other", status)
        await _answer(send, status, content, close=status in (408, 413))

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        """A page of another site may not reach a server of this machine under a name of its own."""
        if self._hosts is None:
            return
        given = headers.get(b"host", b"").decode("latin-1").lower()
        name = given.rpartition(":")[0] if given.rpartition(":")[2].isdigit() else given
        if name not in self._hosts:
            raise HttpRefusal(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"The server does not know the host name {name!r:.80}.",
                "Start it with --allow-host NAME.",
            )

    async def _leave(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        assert self.behind is not None
        path = scope["path"] if scope["path"] in self.paths else "other"
        if scope["method"] == "HEAD" and scope["path"] != PREDICT:  # as GET; uvicorn leaves out the body
            scope = {**scope, "method": "GET"}

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.measures.answered(path, message["status"])
            await send(message)

        await self.behind(scope, receive, counting)

    async def _predict(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        began = time.perf_counter()
        if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != JSON:
            raise HttpRefusal(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "The body is not JSON.",
                "Send it with the header Content-Type: application/json.",
            )
        body = await self._body(headers, receive)
        served, found = self.read(body)
        content: bytes = await self.batcher.ask(served, found, lambda *known: _content(served, found, *known))
        self.measures.predicted(served.name, len(found.sentences), found.tokens, time.perf_counter() - began)
        return content

    def read(self, body: bytes, *, page: bool = False) -> tuple[Served, Question]:
        """The model that a body asks, and the question. page: a page shows the search, so the question has its limits."""
        ask = asked(body, self.limits)
        ask = ask.model_copy(update={"trace": True}) if page else ask
        served = self.shelf.get(ask.model)
        try:
            found = question(ask, served.columns, served.split, self.limits)
        except RiataError as error:
            raise HttpRefusal.of(error) from None
        served.check_length(found, self.limits)
        return served, found

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        most = self.limits.body
        declared = headers.get(b"content-length", b"0")
        length = int(declared) if declared.isdigit() else 0
        if length > most and b"expect" in headers:  # the client waits for a word before it sends the body
            raise _too_large(length, most)
        reading = _whole_body(receive, most)
        try:
            body, length = await asyncio.wait_for(reading, self.limits.seconds)
        except asyncio.TimeoutError:
            raise HttpRefusal(
                HTTPStatus.REQUEST_TIMEOUT, f"The body did not arrive within {self.limits.seconds:g} seconds."
            ) from None
        if body is None:
            raise _too_large(length, most)
        return body


def _check_site(path: str, headers: dict[bytes, bytes]) -> None:
    """A page of another site may link to this server, but may not make it work in secret."""
    if path not in (PREDICT, EXPLAIN) or headers.get(b"sec-fetch-site", b"none") in OWN:
        return
    if headers.get(b"sec-fetch-mode") != b"navigate" or headers.get(b"sec-fetch-dest") != b"document":
        raise HttpRefusal(HTTPStatus.FORBIDDEN, "Pages of other sites cannot use this server.")


async def _whole_body(receive: Receive, most: int) -> tuple[bytes | None, int]:
    """The body and its length; None if it is too large. Some more is read then, or else the client would not see the answer."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Gone
    first: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return (first if len(first) <= most else None), len(first)
    parts, length = [first], len(first)
    while message.get("more_body") and length <= most * DRAINED:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        part = message.get("body", b"")
        length += len(part)
        if length <= most:
            parts.append(part)
        else:
            parts.clear()
    return (b"".join(parts) if length <= most else None), length


def _too_large(length: int, most: int) -> HttpRefusal:
    return HttpRefusal(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"The body has {length:,} bytes or more; at most {most:,} are allowed.",
        "Send the sentences in parts.",
    )


def _content(served: Served, found: Question, labels: list[Any], parts: Iterable[Question]) -> bytes:
    """The answer to a question. labels: of all its sentences, if they were predicted already; else it is answered in parts."""
    if labels:
        sentences = list(map(served.own.sentence, found.words, labels))
    else:
        variant = served.variant(found.ask)
        sentences = [sentence for part in parts for sentence in variant.detailed(part)]
    answer = {
        "model": served.name,
        "version": served.version,
        "task": served.estimator.task_name,
        "sentences": sentences,
    }
    if found.ask.confidence or found.ask.min_confidence is not None:
        answer["calibrated"] = bool(served.estimator.confidence.believable)
    return to_json(answer)


async def _answer(send: Send, status: int, content: bytes, *, close: bool) -> None:
    headers = [(b"content-type", JSON), (b"content-length", str(len(content)).encode())]
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append((b"retry-after", b"1"))
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": content})
