"""Many requests at once, too many, and what the server counts of them."""

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import riata
from riata.serving.refusal import Limits
from samples import CHUNKS, UNSEEN, WORDS
from serving_help import served, until


def test_requests_at_once_get_the_answers_that_they_get_alone(talk, files):
    model = riata.load_model(files["tags"])
    asked = [UNSEEN[i % 3] if i % 2 else WORDS[i % 4] for i in range(200)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda tokens: talk.predict(tokens=tokens)[1]["sentences"][0]["labels"], asked))
    assert found == model.predict(asked)


def test_models_are_not_mixed_up(talk, files):
    tags, words = (riata.load_model(files[name]) for name in ("tags", "words"))

    def ask(i):
        name = ("tags", "words")[i % 2]
        return talk.predict(model=name, tokens=WORDS[i % 4])[1]["sentences"][0]["labels"]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(64)))
    for i, labels in enumerate(found):
        assert labels == (tags, words)[i % 2].predict([WORDS[i % 4]])[0]


def test_a_large_request_is_predicted_in_pieces(talk, files):
    many = [WORDS[i % 4] for i in range(1500)]  # more tokens than one piece has
    found = talk.predict(tokens=many)[1]["sentences"]
    assert [s["labels"] for s in found] == riata.load_model(files["tags"]).predict(many)


def test_one_bad_request_does_not_spoil_the_batch():
    """The estimator refuses a batch with a bad sentence; then each is asked alone."""
    from riata.errors import DataError
    from riata.serving.batching import Batcher
    from riata.serving.measures import Measures

    class Picky:
        def predict(self, sentences):
            if ["bad"] in sentences:
                raise DataError("this is bad.")
            return [["X"] * len(sentence) for sentence in sentences]

    delivered = []

    class Loop:
        def call_soon_threadsafe(self, _, found):
            delivered.extend(found)

    class Future:
        def done(self):
            return False

    from types import SimpleNamespace

    from riata.serving.batching import Job

    served_ = SimpleNamespace(estimator=Picky())
    sentences = [[["a"]], [["bad"]], [["b", "c"]]]
    jobs = [
        Job(served_, SimpleNamespace(sentences=each, tokens=1), lambda labels, parts: labels, Future(), Loop())
        for each in sentences
    ]
    batcher = Batcher(Limits(), Measures())
    batcher._one_batch([(job, job.question.sentences) for job in jobs])
    assert [(answer, type(error)) for _, answer, error in delivered] == [
        ([["X"]], type(None)),
        (None, DataError),
        ([["X", "X"]], type(None)),
    ]


class Slow:
    """An estimator that answers when it is let go."""

    first_, task_name = None, "tag"

    def __init__(self, model):
        self.model, self.go = model, threading.Event()

    def predict(self, sentences):
        self.go.wait(20)
        return self.model.predict(sentences)


@pytest.fixture
def stuck(files):
    """A server whose model does not answer before `go` is set; two requests may wait."""
    with served({"tags": files["tags"]}, Limits(waiting=2, seconds=2.0), watch=False) as talk:
        model = talk.front.shelf.get(None)
        model.estimator = slow = Slow(model.estimator)
        yield talk, slow
        slow.go.set()


def test_when_too_many_wait_the_answer_is_503_at_once(stuck):
    talk, slow = stuck
    answers = []

    def ask():
        status, headers, content = talk.ask("POST", "/predict", {"tokens": ["a"]})
        answers.append((status, headers.get("retry-after"), json.loads(content)))

    threads = [threading.Thread(target=ask) for _ in range(10)]
    threads[0].start()
    until(lambda: talk.front.batcher.length == 0)
    time.sleep(0.1)  # the first one is with the model
    for thread in threads[1:]:
        thread.start()
    until(lambda: len(answers) == 7)
    assert {(status, retry) for status, retry, _ in answers} == {(503, "1")}
    assert "busy" in answers[0][2]["error"]
    assert talk.get("/healthz")[0] == 200  # which waits for nobody
    slow.go.set()
    for thread in threads:
        thread.join(20)
    assert sorted(status for status, _, _ in answers) == [200] * 3 + [503] * 7


def test_an_answer_that_takes_too_long_is_503(stuck):
    talk, slow = stuck
    began = time.monotonic()
    status, answer = talk.predict(tokens=["a"])
    assert status == 503
    assert "within 2 seconds" in answer["error"]
    assert time.monotonic() - began < 10
    slow.go.set()
    until(lambda: talk.predict(tokens=["a"])[0] == 200)


def test_a_mistake_of_the_server_is_not_told_to_clients(stuck):
    talk, slow = stuck
    slow.model, slow.go = None, threading.Event()
    slow.go.set()
    status, answer = talk.predict(tokens=["a"])
    assert status == 500
    assert answer == {"error": "The server made a mistake, which its log shows."}


def test_metrics_are_text_for_prometheus(files):
    with served({"tags": files["tags"], "chunks": files["chunks"]}, watch=False) as talk:
        for _ in range(3):
            talk.predict(tokens=WORDS[0])
        talk.predict(model="chunks", rows=[list(row[:2]) for row in CHUNKS[0]])
        talk.predict(tokens=[])
        talk.get("/nothing/at/all")
        status, headers, content = talk.get("/metrics")
    assert status == 200
    assert headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = content.decode().splitlines()
    for line in lines:
        assert re.fullmatch(r'# (HELP|TYPE) .+|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [-+.\de]+', line), line
    for expected in (
        'riata_requests_total{path="/predict",status="200"} 4',
        'riata_requests_total{path="/predict",status="422"} 1',
        'riata_requests_total{path="other",status="404"} 1',
        'riata_sentences_total{model="tags"} 3',
        'riata_tokens_total{model="tags"} 12',
        "riata_predict_seconds_count 4",
        "riata_batch_requests_count 4",
        "riata_waiting 0",
    ):
        assert expected in lines


def test_work_ends_when_nobody_waits_for_it(files, monkeypatch):
    """An answer that is too late is left after the part that is being worked on, and others are answered."""
    from riata.serving.answering import Answering

    parts, detailed = [], Answering.detailed

    def slowly(self, question):
        parts.append(question.tokens)
        time.sleep(0.1 if question.tokens > 10 else 0)
        return detailed(self, question)

    with served({"tags": files["tags"]}, Limits(seconds=1.0), watch=False) as talk:
        monkeypatch.setattr(Answering, "detailed", slowly)
        status, answer = talk.predict(tokens=[["dog"] * 900] * 50, confidence=True)
        assert (status, "no answer within" in answer["error"]) == (503, True)
        assert talk.predict(tokens=["dog"], confidence=True)[0] == 200
        assert len(parts) < 50
        assert max(parts) == 900


def test_details_in_parts_are_those_of_the_whole(talk, files):
    model = riata.load_model(files["words"])
    many = [WORDS[i % 4] for i in range(900)]  # more tokens than one part has
    _, answer = talk.predict(model="words", tokens=many, confidence=True)
    assert [s["labels"] for s in answer["sentences"]] == model.predict(many)
    expected = [round(value, 6) for value in model.confidence.margins_of(many)[0].tolist()]
    assert [value for s in answer["sentences"] for value in s["margin"]["labels"]] == expected


def test_long_trees_do_not_hold_up_labels(files, monkeypatch):
    """They are found beside the others, not before them."""
    from riata.serving.answering import Answering

    begun, go_on, detailed = threading.Event(), threading.Event(), Answering.detailed

    def waiting(self, question):
        begun.set()
        assert go_on.wait(20)
        return detailed(self, question)

    with served(files, watch=False) as talk, ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(Answering, "detailed", waiting)
        rows = [["a", "DET"], ["dog", "NOUN"]] * 75
        found = pool.submit(talk.predict, model="trees", rows=rows)
        assert begun.wait(20)
        assert talk.predict(tokens=["dog"])[0] == 200
        assert talk.predict(model="trees", rows=rows[:5])[0] == 200
        go_on.set()
        status, answer = found.result()
    assert (status, set(answer["sentences"][0])) == (200, {"tokens", "heads", "relations"})
