"""uvicorn's protocol with limits that it lacks: the time and the size of the head of a request."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from riata.serving.limits import Limits


def _last_answer(status: bytes, content: bytes) -> bytes:
    """An answer that no application makes, after which the connection is closed."""
    head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(content)
    return b"HTTP/1.1 " + status + b"\r\n" + head + content


TIMEOUT = _last_answer(b"408 Request Timeout", b'{"error":"The head of the request did not arrive in time."}')
NO_REQUEST = _last_answer(b"400 Bad Request", b'{"error":"This is no HTTP request, or its head is too large."}')


class HeadTooLarge(Exception):
    """Raised inside the parser, which makes uvicorn answer with 400."""


def protocol_with(limits: Limits) -> type[asyncio.Protocol]:
    """The class of connections of a server with these limits."""

    class Protocol(HttpToolsProtocol):
        _head = 0
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._expect_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self._head_came()
            super().connection_lost(exc)

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._head = 0
            self._expect_head()

        def on_url(self, url: bytes) -> None:
            self._count(url)
            super().on_url(url)

        def on_header(self, name: bytes, value: bytes) -> None:
            self._count(name + value)
            super().on_header(name, value)

        def on_headers_complete(self) -> None:
            self._head_came()
            super().on_headers_complete()

        def send_400_response(self, msg: str) -> None:
            self.transport.write(NO_REQUEST)
            self.transport.close()

        def _count(self, part: bytes) -> None:
            self._head += len(part) + 4
            if self._head > limits.head:
                raise HeadTooLarge

        def _expect_head(self) -> None:
            if self._timer is None:
                self._timer = self.loop.call_later(limits.seconds, self._too_slow)

        def _head_came(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _too_slow(self) -> None:
            if not self.transport.is_closing():
                self.transport.write(TIMEOUT)
                self.transport.close()

    return Protocol
