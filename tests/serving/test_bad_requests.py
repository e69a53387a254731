"""Whatever is wrong with a request, the answer has status 4xx and says what."""

import json
import socket
import time
import warnings
from types import SimpleNamespace

import pytest

import riata
from riata import Chunker
from riata.serving.refusal import Limits
from samples import WORDS
from serving_help import served

DEEP = b'{"tokens":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
BAD = [
    (400, b"", "JSON"),
    (400, b"{", "Invalid JSON"),
    (400, b'{"text": "\xff"}', "Invalid JSON"),
    (400, b'{"text": "\\ud800"}', "Invalid JSON"),
    (400, DEEP, "recursion"),
    (422, b"[]", "JSON object"),
    (422, b"null", "JSON object"),
    (422, b"{}", "expected one of text"),
    (422, {"text": "a", "tokens": ["a"]}, "both text and tokens"),
    (422, {"text": 3}, "text: expected a string or a list"),
    (422, {"text": [3]}, "text[0]: expected a string"),
    (422, {"text": ""}, "sentence 0 is empty"),
    (422, {"tokens": []}, "no sentences"),
    (422, {"tokens": [[]]}, "sentence 0 is empty"),
    (422, {"tokens": [["a"], []]}, "sentence 1 is empty"),
    (422, {"tokens": ["a", ""]}, "empty token"),
    (422, {"tokens": ["a", ["b"]]}, "mixed"),
    (422, {"tokens": ["a", None]}, "tokens[1]: expected a string or a list"),
    (422, {"tokens": [[["a"]]]}, "tokens[0]"),
    (422, {"rows": [["a", "b"]]}, "2 columns; the model reads 1"),
    (422, {"rows": [["a", ["b"]]]}, "no list of texts"),
    (422, {"rows": [[""]]}, "empty"),
    (422, {"tokns": ["a"]}, "Did you mean 'tokens'?"),
    (422, {"tokens": ["a"], "nbest": 0}, "nbest"),
    (422, {"tokens": ["a"], "nbest": 10**9}, "at most 100"),
    (422, {"tokens": ["a"], "nbest": 10**30}, "nbest"),
    (422, {"tokens": ["a"], "nbest": "2"}, "a whole number"),
    (422, {"tokens": ["a"], "beam": 1.5}, "beam"),
    (422, {"tokens": ["a"], "min_confidence": 2}, "min_confidence"),
    (422, {"tokens": ["a"], "confidence": "yes"}, "true or false"),
    (422, {"tokens": ["a"], "decode": "worst"}, "decode"),
    (422, {"tokens": ["a"], "decode": "spans"}, "spans"),
    (422, {"tokens": ["a"], "constraints": ["x" * 1000]}, "too long"),
    (422, {"tokens": ["a"], "constraints": 0.0}, "penalty"),
    (422, {"tokens": [["a"], ["b"]], "trace": True}, "one sentence"),
    (422, {"tokens": ["a"] * 300, "trace": True}, "at most 200"),
    (422, {"tokens": ["a"] * 150, "trace": True, "beam": 100}, "at most 100 tokens"),
    (422, {"tokens": ["a"] * 300, "constraints": ['at_most(1, "NN")']}, "at most 200"),
    (422, {"tokens": [["a"] * 500] * 10, "beam": 100}, "at most 2,000 tokens"),
    (422, {"tokens": [["a"] * 500] * 10, "nbest": 100}, "at most 2,000 tokens"),
    (422, {"model": "trees", "rows": [["a", "N"]] * 201, "confidence": True}, "at most 200"),
    (404, {"tokens": ["a"], "model": "tagz"}, "Did you mean 'tags'?"),
    (404, {"tokens": ["a"], "model": "x" * 5000}, "Unknown model"),
    (422, {"model": "chunks", "tokens": ["a"]}, "2 columns"),
    (422, {"model": "chunks", "text": "a"}, "Send rows"),
    (413, {"tokens": ["a"] * 1001}, "1,001 tokens in one sentence"),
    (413, {"tokens": [["a"]] * 2001}, "2,001 sentences"),
    (413, {"tokens": [["a"] * 900] * 60}, "54,000 tokens"),
    (413, b" " * ((1 << 20) + 1), "1,048,577 bytes"),
    (413, b" " * (5 << 20), "at most 1,048,576"),
]


@pytest.mark.parametrize(("status", "body", "said"), BAD, ids=range(len(BAD)))
def test_a_bad_request_is_told_what_is_wrong(talk, status, body, said):
    found, answer = talk.predict(body)
    assert (found, said in answer["error"] + answer.get("remedy", "")) == (status, True), answer
    assert len(json.dumps(answer)) < 2000
    assert talk.predict(tokens=WORDS[0])[0] == 200


def test_odd_tokens_are_only_tokens(talk):
    odd = ["\x00", " ", "a b", "\n", "‮", "💥", "é" * 300, "\\", '"', "<script>", "𐏿"]
    status, answer = talk.predict(tokens=odd)
    assert status == 200
    assert answer["sentences"][0]["tokens"] == odd


def test_other_methods_paths_types_and_hosts_are_refused(talk):
    assert talk.ask("GET", "/predict")[0] == 405
    assert talk.ask("DELETE", "/models")[0] == 405
    status, _, content = talk.get("/nothing")
    assert status == 404
    assert "no page '/nothing'" in json.loads(content)["error"]
    assert talk.get("/assets/../api.py")[0] == 404
    assert talk.get("/assets/..%2fapi.py")[0] == 404
    assert talk.ask("POST", "/predict", b"{}", {"Content-Type": "text/plain"})[0] == 415
    assert talk.ask("POST", "/predict", b"{}", {"Content-Type": "application/json", "Host": "evil.example"})[0] == 421
    assert talk.ask("GET", "/models", headers={"Host": "evil.example:8000"})[0] == 421
    assert talk.ask("GET", "/models", headers={"Host": f"localhost:{talk.port}"})[0] == 200


def raw(port, data, seconds=10.0, pause=0.0):
    """What comes back to bytes that are no proper request."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        for piece in data if isinstance(data, list) else [data]:
            try:
                connection.sendall(piece)
            except OSError:  # the server has closed it
                break
            time.sleep(pause)
        found = b""
        try:
            while part := connection.recv(65536):
                found += part
        except OSError:
            pass
        return found


@pytest.fixture(scope="module")
def hasty(files):
    """A server that waits half a second."""
    with served({"tags": files["tags"]}, Limits(seconds=0.5, body=1000, head=2000), watch=False) as found:
        yield found


POST = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_slow_clients_are_told_so_and_left(hasty):
    assert raw(hasty.port, b"").startswith(b"HTTP/1.1 408")
    assert raw(hasty.port, b"GET / HTTP/1.1\r\nHo").startswith(b"HTTP/1.1 408")
    assert raw(hasty.port, POST + b"Content-Length: 50\r\n\r\n{").startswith(b"HTTP/1.1 408")
    drops = [POST, b"Content-Length: 50\r\n\r\n", *[b" "] * 20]
    assert b"HTTP/1.1 408" in raw(hasty.port, drops, pause=0.1)
    assert hasty.predict(tokens=["a"])[0] == 200


def test_a_head_without_end_is_refused(hasty):
    assert raw(hasty.port, [b"GET / HTTP/1.1\r\n", *[b"X-A: " + b"a" * 500 + b"\r\n"] * 20]).startswith(b"HTTP/1.1 400")
    assert raw(hasty.port, b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(hasty.port, b"\x16\x03\x01\x02\x00\x01").startswith(b"HTTP/1.1 400")


def test_a_body_in_chunks_is_counted_as_it_comes(hasty):
    chunk = b"64\r\n" + b" " * 100 + b"\r\n"
    head = POST + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    assert raw(hasty.port, head + chunk * 5 + b"0\r\n\r\n").startswith(b"HTTP/1.1 400")  # 500 spaces are no JSON
    assert raw(hasty.port, head + chunk * 50 + b"0\r\n\r\n").startswith(b"HTTP/1.1 413")
    assert b"HTTP/1.1 413" in raw(hasty.port, head + chunk * 5000)  # without end
    expects = POST + b"Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n"
    assert raw(hasty.port, expects).startswith(b"HTTP/1.1 413")


def test_clients_that_leave_do_not_matter(hasty):
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", hasty.port)) as connection:
            connection.sendall(POST + b"Content-Length: 30\r\n\r\n{")
    assert hasty.predict(tokens=["a"])[0] == 200


def test_what_is_no_http_gets_json_too(hasty):
    answer = raw(hasty.port, b"FOO / HTTP/1.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert "no HTTP" in json.loads(answer.partition(b"\r\n\r\n")[2])["error"]


@pytest.mark.parametrize("kind", [None, "", "application/jsonx", "text/plain; application/json", "json"])
def test_a_body_must_be_called_json(talk, kind):
    """A page of another site can send a body without a type, or as plain text; it cannot send JSON without asking first."""
    headers = {} if kind is None else {"Content-Type": kind}
    assert talk.ask("POST", "/predict", b'{"tokens": ["a"]}', headers)[0] == 415


def test_json_may_have_a_charset(talk):
    for kind in ("application/json; charset=utf-8", "Application/JSON", "application/json ;charset=utf-8"):
        assert talk.ask("POST", "/predict", b'{"tokens": ["a"]}', {"Content-Type": kind})[0] == 200


def test_pages_of_other_sites_cannot_ask(talk):
    asked = "/explain?ask=%7B%22tokens%22%3A%5B%22a%22%5D%7D"
    for site in ("cross-site", "same-site"):
        silent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Content-Type": "application/json"}
        assert talk.ask("POST", "/predict", b'{"tokens": ["a"]}', silent)[0] == 403
        assert talk.ask("GET", asked, headers=silent)[0] == 403
        framed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        assert talk.ask("GET", asked, headers=framed)[0] == 403
        followed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        assert talk.ask("GET", asked, headers=followed)[0] == 200
        assert talk.ask("GET", "/healthz", headers=silent)[0] == 200
    own = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
    assert talk.ask("POST", "/predict", b'{"tokens": ["a"]}', own)[0] == 200


def test_head_answers_as_get_without_a_body(talk):
    for path in ("/", "/healthz", "/metrics", "/models", "/docs"):
        status, headers, content = talk.ask("HEAD", path)
        assert (status, content) == (200, b""), path
        assert headers["content-type"] == talk.get(path)[1]["content-type"]
    assert talk.ask("HEAD", "/predict")[0] == 405
    assert talk.ask("HEAD", "/nothing")[0] == 404


def test_a_slash_at_the_end_is_another_path(talk):
    """A redirect would have the host name and the scheme that the server sees, which are not those before a proxy."""
    assert talk.ask("POST", "/predict/", b"{}")[0] == 404
    assert talk.get("/docs/")[0] == 404


def test_warnings_become_lines_of_the_log_one_per_second(caplog, monkeypatch):
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'riata[serve]'")
    from riata.errors import RiataWarning
    from riata.serving import running

    moments = iter([0.0, 0.1, 1.5])
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    with warnings.catch_warnings():
        running.log_warnings()
        for text in ("column 1 is odd", "column 2 is odd", "The model is not calibrated, so …", "column 3 is odd"):
            warnings.warn(text, RiataWarning, stacklevel=1)
    assert [record.getMessage() for record in caplog.records] == ["column 1 is odd", "column 3 is odd"]


def test_input_unlike_the_training_data_can_be_forced(tmp_path):
    train = riata.load("embedded", "train")
    Chunker("perceptron", epochs=1).fit(train).save(tmp_path / "c.riata")
    odd = [[word, "_"] for word in ["the", "old", "bus", "stopped", "there"]] * 3
    with served({"c": tmp_path / "c.riata"}) as talk:
        status, answer = talk.predict(rows=[odd])
        assert status == 422 and "--force" in answer["remedy"]
    with served({"c": tmp_path / "c.riata"}, check_input=False) as talk:
        assert talk.predict(rows=[odd])[0] == 200
