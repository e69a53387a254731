"""A server that tests talk to: in a thread of this process, on a free port."""

import http.client
import json
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from riata import Chunker, DependencyParser, EntityRecognizer, JointTagger, Tagger, constraints
from samples import CHUNKS, FEATURES, TAGS, WORDS, treebank

ENTITIES = [["B-PER", "O", "O", "B-PER"], ["O", "O", "O"], ["B-PER", "O", "B-PER", "O"]]
NAMES = [["Ann", "saw", "and", "Bob"], ["it", "rained", "."], ["Ann", "met", "Bob", "."]]


def models(folder: Path) -> dict[str, Path]:
    """Small models of all tasks that the server knows, by name."""
    made = {
        "tags": Tagger("perceptron", epochs=3).fit(WORDS, TAGS),
        "chunks": Chunker("perceptron", epochs=3).fit(CHUNKS),
        "words": Chunker("perceptron", epochs=3).fit(WORDS, [[row[2] for row in s] for s in CHUNKS]),
        "names": EntityRecognizer("perceptron", epochs=5, constraints=[constraints.at_most(1, "PER")]).fit(
            NAMES, ENTITIES
        ),
        "both": JointTagger("max-violation", epochs=2).fit(CHUNKS),
        "trees": DependencyParser("perceptron", tags="given", epochs=2).fit(treebank()),
        "features": Tagger("perceptron", epochs=2).fit(FEATURES, TAGS),
    }
    for name, model in made.items():
        model.save(folder / f"{name}.riata")
    return {name: folder / f"{name}.riata" for name in made}


class Talk:
    """What clients do with a server."""

    def __init__(self, port, front):
        self.port, self.front = port, front

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and content."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            given = {"Content-Type": "application/json"} if headers is None else headers
            connection.request(method, path, content, given)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def predict(self, body=None, **fields):
        status, _, content = self.ask("POST", "/predict", fields if body is None else body)
        return status, json.loads(content)

    def get(self, path):
        return self.ask("GET", path)


@contextmanager
def served(files, limits=None, *, check_input=True, **options):
    pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'riata[serve]'")
    pytest.importorskip("httptools", reason="httptools is not installed: pip install 'riata[serve]'")
    from riata.serving.api import application
    from riata.serving.refusal import Limits
    from riata.serving.running import hosts_for, listening, server_of
    from riata.serving.shelf import Shelf

    bound = listening("127.0.0.1", 0)
    given = {"hosts": hosts_for("127.0.0.1", ()), **options}
    front = application(Shelf(files, check_input=check_input), limits or Limits(), **given)
    server = server_of(front)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        until(lambda: server.started)
        yield Talk(bound.getsockname()[1], front)
    finally:
        server.should_exit = True
        thread.join(30)
        bound.close()
        assert not thread.is_alive()


def until(done, seconds=20.0):
    """Waits until something is true."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)
