"""The peers' features, written by hand, are those of the templates."""

import json
from collections import Counter

import riata
from benchmarks import install, plain, run
from benchmarks.stages import divided, percentiles
from riata.features import attributes
from riata.features.templates import load
from samples import for_rows

CORPUS = riata.load("embedded", "train")[:60]


def by_template(name):
    """Slow and general: every template read at every token, left out where it reads outside the sentence."""
    functions = attributes.builtin()
    for sentence in CORPUS:
        rows = []
        for t in range(len(sentence)):
            row = ["BOS"] * (t == 0) + ["EOS"] * (t == len(sentence) - 1)
            for number, template in enumerate(load(name)):
                at = [t + read.offset for read in template.reads]
                if template.edge or not all(0 <= i < len(sentence) for i in at):
                    continue
                texts = (sentence[i][read.column] for i, read in zip(at, template.reads, strict=True))
                values = [functions[read.attribute](text) for read, text in zip(template.reads, texts, strict=True)]
                if None not in values:
                    row.append(f"{number}={'|'.join(values)}")
            rows.append(row)
        yield rows


def by_hand(extract):
    for sentence in CORPUS:
        words, tags = [token[0] for token in sentence], [token[1] for token in sentence]
        yield extract(words, tags)


def places(sentences):
    """How many features stand at each set of tokens: the same features have the same sets, whatever they are called."""
    found = {}
    for s, rows in enumerate(sentences):
        for t, row in enumerate(rows):
            for feature in row:
                found.setdefault(feature, []).append((s, t))
    return Counter(tuple(at) for at in found.values())


def as_strings(words, tags):
    rows = plain.classic_dictionaries(words, tags)
    return [[name if value is True else f"{name}={value}" for name, value in row.items()] for row in rows]


@for_rows("template, extract", ("classic", plain.classic), ("classic", as_strings), ("chunk", plain.default))
def test_the_features_are_those_of_the_template(template, extract):
    assert places(by_hand(extract)) == places(by_template(template))


def test_columns_are_read_as_riata_reads_them(tmp_path):
    path = tmp_path / "columns.txt"
    riata.write_columns(CORPUS.select([0, 1, 2]), path)
    path.write_text(path.read_text().replace("\t", " "))
    read = [list(zip(*sentence, strict=True)) for sentence in plain.read(path)]
    assert read == [[tuple(token[:3]) for token in sentence] for sentence in CORPUS]


def test_what_training_takes_beyond_its_epochs_is_ingestion():
    ingest, train = divided({"cpu": 1.0, "wall": 2.0}, {"cpu": 4.0, "wall": 8.0}, 6.0)
    assert ingest == {"cpu": 2.0, "wall": 4.0}
    assert train == {"cpu": 3.0, "wall": 6.0}


def test_percentiles_are_in_microseconds():
    assert percentiles([1000 * n for n in range(100)]) == {"p50": 50.0, "p99": 99.0}


# --- results on file: what stays when a question is run again --------------------------------------------------------
def result(question, contestant, score):
    return {
        "question": question,
        "contestant": contestant,
        "metrics": {"las": score},
        "interval": [0, 1],
        "seconds_train": 1.0,
        "seconds_decode": 1.0,
        "peak_mb": 1,
    }


def test_contestants_that_run_only_by_name_keep_their_results(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    for new in (
        [result("parsing", "udpipe", 1)],
        [result("parsing", "ours", 2), result("parsing", "old", 3)],
        [result("chunking", "ours", 4)],
        [result("parsing", "ours", 5)],
    ):
        run.write(new, False)
    kept = json.loads((tmp_path / "latest.json").read_text())["results"]
    found = {(one["question"], one["contestant"]): one["metrics"]["las"] for one in kept}
    assert found == {("chunking", "ours"): 4, ("parsing", "ours"): 5, ("parsing", "udpipe"): 1}


def test_folders_leave_them_out(monkeypatch):
    monkeypatch.setattr(run, "contest", lambda folder, path, final: path.stem)
    assert "udpipe" not in run.ask("parsing", 1, False) and run.ask("parsing/udpipe", 1, False) == ["udpipe"]


# --- the peers to install are those of the extra `bench`, and one that does not install stops nothing ----------------
def test_the_peers_are_those_of_the_extra(monkeypatch):
    found = [
        "numpy>=1.24",
        'vowpalwabbit<10,>=9; extra == "bench"',
        "pytest>=8; extra == 'test'",
        "a==1; extra == 'bench'",
    ]
    monkeypatch.setattr(install, "requires", lambda name: found)
    assert install.peers() == ["vowpalwabbit<10,>=9", "a==1"]


def test_a_peer_that_does_not_install_is_told_and_the_next_is_tried(capsys):
    tried = []
    install.install(["gone==1", "there==2"], lambda peer: tried.append(peer) or peer != "gone==1")
    assert tried == ["gone==1", "there==2"]
    assert capsys.readouterr().err == "gone==1 did not install; its contestants will not run.\n"
