"""Benchmarks without their peers: features written by hand, results on file, what is installed, and what is timed."""

import json
from collections import Counter

import riata
from benchmarks import install, plain, run, side_by_side, tutorial
from benchmarks.contest import Split
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


# --- contestants of `sentences` in one process: what is timed of them, and the page ----------------------------------
CONLL = riata.load("embedded", "test")[:30]
ABOUT = {"commit": "c", "date": "d", "cpu": "m", "python": "3"}


class Constant(side_by_side.Contestant):
    """Calls everything O, and counts."""

    features = "dictionaries"

    def __init__(self):
        self.calls = Counter()

    def sentence(self, rows):
        return tutorial.dictionaries(rows)

    def fit(self, sentences, labels):
        assert [len(sentence) for sentence in sentences] == [len(truth) for truth in labels]
        self.calls["fit"] += 1

    def predict(self, sentences):
        self.calls["predict"] += 1
        return [["O"] * len(sentence) for sentence in sentences]

    def predict_one(self, sentence):
        self.calls["one"] += 1
        return ["O"] * len(sentence)


def test_a_round_predicts_all_sentences_and_one_of_them_again_and_again(monkeypatch):
    monkeypatch.setattr(side_by_side, "LENGTH", len(CONLL[0:1].columns[0].ids))
    contestant = Constant()
    ready = side_by_side.Ready(contestant, Split(CONLL, CONLL))
    result_of = ready.round()
    assert contestant.calls["fit"] == 1
    assert contestant.calls["predict"] == side_by_side.TIMES
    assert contestant.calls["one"] > 100
    assert result_of["tokens_scored"] == CONLL.tokens
    assert result_of["metrics"]["f1"] == 0


def result_of(name, features, predict, p50):
    return {
        "question": side_by_side.QUESTION, "contestant": name, "data": "dev", "rounds": 3, "features": features,
        "metrics": {"f1": 70.0}, **ABOUT,
        "seconds": {stage: {"cpu": value, "wall": value} for stage, value in {"train": 1.0, "predict": predict}.items()},
        "latency_us": {clock: {"p50": p50, "p99": 2 * p50} for clock in ("cpu", "wall")}, "tokens_scored": 1000,
    }  # fmt: skip


def test_the_page_tells_floors_and_where_riata_loses():
    peer = result_of("sklearn_crfsuite_dictionaries", "dictionaries", 1.0, 100.0)
    text = "\n".join(side_by_side.section([result_of("riata_dictionaries", "dictionaries", 0.25, 200.0), peer]))
    assert (
        "| dictionaries to labels | sklearn_crfsuite_dictionaries 1,000 tokens/s | riata_dictionaries 4,000 tokens/s"
        in text
    )
    assert "| 4.00 | 4.00 | 2 × | reached |" in text
    assert "riata_dictionaries 200 µs (200 µs) |  |  | ≤ 60 µs | **missed** |" in text
    assert (
        "- latency of a sentence, p50: sklearn_crfsuite_dictionaries 100 µs, riata_dictionaries 200 µs (2.00 ×)."
        in text
    )
    assert "default `EntityRecognizer` | | | | | ≤ 30 µs | not measured |" in text
    assert side_by_side.section([]) == []


def test_the_tutorial_has_a_dictionary_per_token_with_both_neighbours():
    first, last = tutorial.dictionaries([("Ana", "NP"), ("vive", "VMI")])
    assert first["BOS"] is True and last["EOS"] is True
    assert first["+1:word.lower()"] == "vive" and last["-1:postag[:2]"] == "NP"
    assert len(first) == len(last) == 15
