"""Models are replaced while requests go on, and the server ends when they are answered."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from checks import refused

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'riata[serve]'")

from riata.errors import SettingError
from riata.serving.running import hosts_for, listening
from riata.serving.shelf import Shelf, files_of
from serving_help import served, until


def replace(source, target):
    """As training writes a model: another file takes the place of the old one."""
    shutil.copy(source, f"{target}.new")
    os.replace(f"{target}.new", target)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_in_the_place_of_a_file_stops_nothing(files, tmp_path):
    path = tmp_path / "m.riata"
    shutil.copy(files["tags"], path)
    with served({"m": path}) as talk:
        path.unlink()
        os.mkfifo(path)
        until(lambda: talk.front.shelf.failures == 1)
        talk.front.shelf.reload()
        assert talk.front.shelf.failures == 2
        replace(files["words"], path)
        until(lambda: talk.front.shelf.reloads == 1)
        assert talk.predict(tokens=["The", "dog"])[1]["task"] == "chunk"


def test_a_changed_file_is_loaded_and_no_request_is_dropped(files, tmp_path):
    path = tmp_path / "m.riata"
    shutil.copy(files["tags"], path)
    with served({"m": path}) as talk:
        seen, failed, stop = set(), [], threading.Event()

        def ask():
            while not stop.is_set():
                status, answer = talk.predict(tokens=["The", "dog"])
                seen.add(answer.get("version"))
                if status != 200:
                    failed.append(answer)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        until(lambda: len(seen) == 1)
        replace(files["words"], path)
        until(lambda: len(seen) == 2)
        path.write_bytes(b"this is no model")
        until(lambda: talk.front.shelf.failures == 1)
        path.unlink()
        time.sleep(1.2)
        stop.set()
        for thread in threads:
            thread.join(20)
        assert failed == []
        assert len(seen) == 2
        assert talk.predict(tokens=["The", "dog"])[1]["task"] == "chunk"
        assert talk.front.shelf.reloads == 1


def test_models_are_named_or_called_like_their_files(tmp_path):
    assert {k: str(v) for k, v in files_of(["a=x/y.riata", "z/b.riata"]).items()} == {
        "a": "x/y.riata",
        "b": "z/b.riata",
    }
    odd = tmp_path / "a=b.riata"
    odd.write_text("")
    assert list(files_of([str(odd)])) == ["a=b"]
    for wrong in (["=x"], ["a="], ["x.riata", "y/x.riata"]):
        refused(SettingError, "", files_of, wrong)


def test_a_server_of_this_machine_has_the_names_of_this_machine():
    assert hosts_for("0.0.0.0", ()) is None
    assert "localhost" in hosts_for("127.0.0.1", ())
    assert "my.name" in hosts_for("127.0.0.1", ("My.Name",))
    assert "my.name" in hosts_for("0.0.0.0", ("my.name",))


def test_a_port_that_is_taken_is_refused():
    with listening("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP  # or else answers wait 40 ms
        bound.listen()
        refused(SettingError, "cannot listen", listening, "127.0.0.1", bound.getsockname()[1])
    refused(SettingError, "cannot listen", listening, "no.such.host.example", 0)


def test_a_model_that_is_none_is_refused(tmp_path):
    from riata.errors import ModelFileError

    refused(ModelFileError, "no such file", Shelf, {"a": tmp_path / "none.riata"})


@pytest.fixture
def process(files, tmp_path):
    """`riata serve` as users start it, and its port."""
    path = tmp_path / "m.riata"
    shutil.copy(files["tags"], path)
    command = [sys.executable, "-m", "riata", "serve", "--model", str(path), "--port", "0", "--no-watch"]
    started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Serving m at http://127\.0\.0\.1:(\d+)", started.stderr.readline())
    yield started, int(found[1]), path
    started.kill()
    started.wait(20)
    started.stderr.close()


def ask(port, tokens):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", "/predict", json.dumps({"tokens": tokens}), {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_sighup_loads_models_again_and_sigterm_ends(process, files):
    started, port, path = process
    assert ask(port, ["a"])["task"] == "tag"
    replace(files["words"], path)
    assert ask(port, ["a"])["task"] == "tag"
    started.send_signal(signal.SIGHUP)
    until(lambda: ask(port, ["a"])["task"] == "chunk")
    started.send_signal(signal.SIGTERM)
    assert started.wait(20) == 0


def test_a_request_that_has_begun_is_answered_before_the_end(process):
    started, port, _ = process
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest("POST", "/predict")
    connection.putheader("Content-Type", "application/json")
    body = json.dumps({"tokens": ["a"]}).encode()
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body[:5])
    time.sleep(0.3)
    started.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert started.poll() is None
    connection.send(body[5:])
    answer = connection.getresponse()
    assert answer.status == 200
    assert json.loads(answer.read())["task"] == "tag"
    connection.close()
    assert started.wait(20) == 0


def test_without_the_extra_there_is_one_message(run, files, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "fastapi" else real(name, *a))
    err = run.fails("serve", "--model", files["tags"])
    assert "needs fastapi" in err
    assert "pip install fastapi" in err
