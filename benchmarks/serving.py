"""How many requests a second does `riata serve` answer, and how long does each wait?

    python -m benchmarks.serving --model chunker.riata --text test.txt
    python -m benchmarks.serving --model chunker.riata --requests 100000     memory over many requests

The server is a process of its own; this one is the load. Both share the machine, so the load average is printed with the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import riata

HOST = "127.0.0.1"


class Client(asyncio.Protocol):
    """One connection that sends a request as soon as the answer to the last one is there."""

    def __init__(self, load: Load) -> None:
        self._load, self._left, self._head = load, 0, b""
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._send()

    def _send(self) -> None:
        body = self._load.next()
        if body is None:
            self.transport.close()
            self._load.closed()
            return
        self._began = time.perf_counter()
        self.transport.write(body)

    def data_received(self, data: bytes) -> None:
        if self._left == 0:
            data = self._head + data
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._head = data
                return
            self._head = b""
            self._status = int(data[9:12])
            found = re.search(rb"content-length: (\d+)", data[:end])
            assert found is not None
            self._left = int(found[1]) - (len(data) - end - 4)
        else:
            self._left -= len(data)
        if self._left == 0:
            self._load.answered(self._status, time.perf_counter() - self._began)
            self._send()

    def connection_lost(self, error: Exception | None) -> None:
        if error is not None:
            self._load.closed()


class Load:
    """Requests from several clients, either so many or for so long."""

    def __init__(self, bodies: list[bytes], clients: int, requests: int, seconds: float) -> None:
        self._bodies, self._clients, self._requests = bodies, clients, requests
        self._seconds, self._sent = seconds, 0
        self.times: list[float] = []
        self.statuses: dict[int, int] = {}

    def next(self) -> bytes | None:
        if self._sent >= self._requests or time.perf_counter() > self._end:
            return None
        self._sent += 1
        return self._bodies[self._sent % len(self._bodies)]

    def answered(self, status: int, seconds: float) -> None:
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.times.append(seconds)

    def closed(self) -> None:
        self._open -= 1
        if self._open == 0 and not self._done.done():
            self._done.set_result(None)

    async def run(self, port: int) -> float:
        """Seconds from the first request to the last answer."""
        loop = asyncio.get_running_loop()
        self._open, self._done = self._clients, loop.create_future()
        began = time.perf_counter()
        self._end = began + self._seconds
        for _ in range(self._clients):
            await loop.create_connection(lambda: Client(self), HOST, port)
        await self._done
        return time.perf_counter() - began


def request(content: dict[str, Any]) -> bytes:
    body = json.dumps(content).encode()
    head = f"POST /predict HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@contextlib.contextmanager
def server(*options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server in a process of its own, and its port."""
    command = [sys.executable, "-m", "riata", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r":(\d+)$", line)
    if found is None:
        raise SystemExit(line + process.stderr.read())
    port = int(found[1])
    try:
        yield process, port
    finally:
        process.terminate()
        process.wait(30)


def megabytes(process: subprocess.Popen[str]) -> float:
    with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measured(
    bodies: list[bytes], port: int, *, clients: int, requests: int = sys.maxsize, seconds: float = 3600.0
) -> dict[str, float]:
    load = Load(bodies, clients, requests, seconds)
    wall = asyncio.run(load.run(port))
    times = sorted(load.times)
    return {
        "requests_per_second": round(len(times) / wall, 1),
        "p50_ms": round(1e3 * times[len(times) // 2], 2),
        "p99_ms": round(1e3 * times[int(len(times) * 0.99)], 2),
        "requests": len(times),
        **{f"status_{status}": number for status, number in sorted(load.statuses.items())},
    }


def sentences_of(path: str | None, columns: int) -> list[Any]:
    corpus = riata.load("embedded", "test") if path is None else riata.read_columns(path)
    sentences = [list(sentence) for sentence in corpus]
    return [[row[0] for row in s] if columns == 1 else [list(row[:columns]) for row in s] for s in sentences]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", help="a column file with sentences to send (default: the embedded test data)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each run")
    parser.add_argument("--runs", type=int, default=3, help="of each measurement; the best one is printed")
    parser.add_argument("--requests", type=int, default=0, help="also send so many, and watch the memory")
    chosen = parser.parse_args()
    columns = len(riata.load_model(chosen.model).inputs_)
    field = "tokens" if columns == 1 else "rows"
    sentences = sentences_of(chosen.text, columns)
    single = [request({field: sentence}) for sentence in sentences]
    hundred = [sentences[i : i + 100] for i in range(0, max(len(sentences) - 99, 1), 100)]
    batches = [request({field: batch}) for batch in hundred]
    per_batch = sum(len(s) for batch in hundred for s in batch) / len(hundred)
    with server("--model", chosen.model, "--log", "warning") as (process, port):
        measured(single, port, clients=32, seconds=1.0)  # warms up
        for name, bodies, clients in (
            ("32 clients, one sentence", single, 32),
            ("2 clients, 100 sentences", batches, 2),
        ):
            runs = [measured(bodies, port, clients=clients, seconds=chosen.seconds) for _ in range(chosen.runs)]
            best = max(runs, key=lambda run: run["requests_per_second"])
            if bodies is batches:
                best["tokens_per_second"] = round(best["requests_per_second"] * per_batch)
            print(name, json.dumps(best), f"load {os.getloadavg()[0]:.1f}", flush=True)
        if chosen.requests:
            at = [round(megabytes(process), 1)]
            for _ in range(10):
                measured(single, port, clients=32, requests=chosen.requests // 10)
                at.append(round(megabytes(process), 1))
            print(f"memory over {chosen.requests:,} requests, MB:", *at)


if __name__ == "__main__":
    main()
