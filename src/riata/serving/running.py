"""Runs the application with uvicorn until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from riata.errors import RiataWarning, SettingError
from riata.serving.front import Front
from riata.serving.refusal import Limits

LOG = logging.getLogger("riata.serving")
BACKLOG = 2048  # connections that wait to be accepted
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
ENDING = 5.0  # seconds of a request that is being answered when the server ends, beyond the limit of requests
SWITCH = 0.001  # seconds after which a thread that works lets another one work


class Server(uvicorn.Server):
    """Ends after SIGINT or SIGTERM, when requests are answered; reads models again after SIGHUP."""

    front: Front

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():  # signals come to the main thread only
            yield
            return
        handlers: dict[int, Any] = {signal.SIGINT: self.handle_exit, signal.SIGTERM: self.handle_exit}
        if hasattr(signal, "SIGHUP"):
            handlers[signal.SIGHUP] = self._reload
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _reload(self, *_: Any) -> None:
        threading.Thread(target=self.front.shelf.reload, name="riata-reload", daemon=True).start()


def listening(host: str, port: int) -> socket.socket:
    """A socket at this address, or the reason why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once (TCP_NODELAY) only if the protocol is named. Otherwise, the body of an answer waits 40 ms after its head.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingError(
            f"the server cannot listen at {host}, port {port}: {reason}.",
            remedy="Use another --port (0 finds a free one) or --host.",
        ) from None
    return made


def hosts_for(host: str, allowed: tuple[str, ...]) -> frozenset[str] | None:
    """The names that requests may use: on this machine's own address its own names, unless others are allowed."""
    names = {name.lower() for name in allowed}
    if host in LOOPBACK:
        return frozenset({*LOOPBACK, *names})
    return frozenset({host.lower(), *LOOPBACK, *names}) if names else None


def server_of(front: Front, *, access_log: bool = False) -> Server:
    config = uvicorn.Config(
        front,
        http=protocol_with(front.limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=access_log,
        server_header=False,
        limit_concurrency=front.limits.connections,
        backlog=BACKLOG,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(front.limits.seconds + ENDING),
    )
    server = Server(config)
    server.front = front
    return server


def log_warnings() -> None:
    """Riata's warnings, such as of input unlike the training data, become lines of the log: at most one per second.

    Not that a model is uncalibrated, which answers say, nor that a request chose another beam.
    """
    shown = warnings.showwarning
    last = -math.inf

    def log(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        nonlocal last
        if not issubclass(category, RiataWarning):
            shown(message, category, *place, **more)
        elif (now := time.monotonic()) - last >= 1:
            last = now
            LOG.warning("%s", message)

    warnings.simplefilter("always", RiataWarning)  # others would remember every text
    warnings.filterwarnings("ignore", "The model is not calibrated|Confidences were calibrated with", RiataWarning)
    warnings.showwarning = log


def run(front: Front, bound: socket.socket, *, access_log: bool = False) -> None:
    """Serves until a signal ends it."""
    sys.setswitchinterval(SWITCH)
    server_of(front, access_log=access_log).run(sockets=[bound])


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
