"""The command line: what each verb prints, where, and with which exit status."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import riata
from riata import Chunker, RoleLabeler, Tagger, registry
from riata.choosing.recipe import recipe_name
from samples import CHUNKS, LABELLERS, as_text, embedded, for_rows, some_slow

KEYS = [
    "task",
    "recipe",
    "structure",
    "seconds_train",
    "seconds_decode",
    "tokens",
    "peak_rss_mb",
    "weights",
    "model_mb",
    "metrics",
]
RIATA = [sys.executable, "-m", "riata"]
CONLLU = """# sent_id = 1
# text = The dogs don't bark
1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_
2\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t5\tnsubj\t_\t_
3-4\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
3\tdo\tdo\tAUX\tVBP\t_\t5\taux\t_\t_
4\tn't\tnot\tPART\tRB\t_\t5\tadvmod\t_\t_
5\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\t_

# sent_id = 2
1\tCats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tsit\tsit\tVERB\tVBP\t_\t0\troot\t_\t_

"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with training data, which is where commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(as_text(), encoding="utf-8")
    (tmp_path / "test.txt").write_text(as_text(CHUNKS[:2]), encoding="utf-8")
    (tmp_path / "train.conllu").write_text(CONLLU, encoding="utf-8")
    return tmp_path


@pytest.fixture
def trained(folder, run):
    options = ("--recipe", "perceptron", "--epochs", "5")
    run.ok("train", "chunk", "--train", "train.txt", "--model", "m.riata", *options)
    return folder


def rows(text):
    return [line.split() for line in text.splitlines()]


# --- train --------------------------------------------------------------------------------------------------------------
def test_train_writes_a_model_and_tells_every_epoch_on_standard_error(folder, run):
    status, out, err = run("train", "chunk", "--train", "train.txt", "--model", "m.riata", "--epochs", "3")
    assert (status, out) == (0, "")
    assert re.findall(r"^epoch +(\d+) +.* updates +.* tokens/s", err, re.MULTILINE) == ["1", "2", "3"]
    assert "m.riata: " in err
    by_hand = Chunker(epochs=3).fit(riata.read_columns("train.txt"))
    assert riata.load_model("m.riata").predict(CHUNKS) == by_hand.predict(CHUNKS)


def test_predictions_that_are_no_chunk_labels_are_refused(folder, run):
    lines = Path("test.txt").read_text().split("\n")
    Path("tags.txt").write_text("\n".join(line.rpartition(" ")[0] for line in lines))
    assert "is no chunk label, nor are the others" in run.fails(
        "evaluate", "--gold", "test.txt", "--predicted", "tags.txt"
    )
    Path("none.txt").write_text("\n".join(f"{line.rpartition(' ')[0]} O" if line else "" for line in lines))
    run.ok("evaluate", "--gold", "test.txt", "--predicted", "none.txt")


@pytest.mark.parametrize("task", [name for name, task in LABELLERS.items() if not task.estimator.trees])
def test_every_task_trains_from_its_column(folder, run, task):
    output = {"tag": "1", "joint": "1,2"}.get(task, "2")
    inputs = "0" if task in ("tag", "joint") else "0,1"
    options = ["--inputs", inputs, "--outputs", output, "--dev", "test.txt", "--json"]
    train, tokens = "train.txt", sum(map(len, CHUNKS))
    if task == "srl":  # its files have columns of their own, and its models label slots
        train, test = (registry.get("data set", "embedded-roles").path(split) for split in ("train", "test"))
        options, tokens = ["--dev", test, "--json"], RoleLabeler().slots(riata.read_propbank(train)).corpus.tokens
    out = run.ok("train", task, "--train", train, "--model", "m.riata", *options)
    facts = json.loads(out)
    assert out.count("\n") == 1
    assert list(facts)[: len(KEYS)] == KEYS
    made = registry.get("task", task).estimator()
    assert (facts["task"], facts["recipe"], facts["structure"]) == (
        task,
        recipe_name(made),
        made.own_structure or "chain",
    )
    assert facts["tokens"] == tokens
    assert facts["weights"] > 0
    assert facts["model_mb"] == round((folder / "m.riata").stat().st_size / 1e6, 3)
    assert all(0 <= value <= 100 for value in facts["metrics"].values())


def test_seeds_are_summed_whatever_the_threads_and_their_scores_told(folder, run):
    options = ["--recipe", "mira", "--seeds", "3", "--seed", "4", "--dev", "test.txt", "--epochs", "2"]
    for threads in (1, 2):
        extra = ["--model", f"{threads}.riata", "--threads", threads]
        status, _, err = run("train", "chunk", "--train", "train.txt", *extra, *options)
        assert status == 0
        assert len(re.findall(r"^epoch .* seeds( \d+\.\d\d){3}$", err, re.MULTILINE)) == 2
    assert (folder / "1.riata").read_bytes() == (folder / "2.riata").read_bytes()
    by_hand = Chunker("mira", seeds=3, seed=4, dev=riata.read_columns("test.txt"), epochs=2)
    by_hand.fit(riata.read_columns("train.txt"))
    assert riata.load_model("1.riata").predict(CHUNKS) == by_hand.predict(CHUNKS)
    assert run("train", "chunk", "--train", "train.txt", "--model", "x.riata", "--seeds", "0")[0] == 2
    assert run("train", "chunk", "--train", "train.txt", "--model", "x.riata", "--threads", "0")[0] == 2
    for shards in ("0", "-1", "x", "100000"):
        assert run("train", "chunk", "--train", "train.txt", "--model", "x.riata", "--shards", shards)[0] == 2


def test_the_same_command_gives_the_same_bytes_and_threads_do_not_matter(folder, run):
    for name, threads in (("a", 1), ("b", 1), ("c", 4)):
        assert run("train", "chunk", "--train", "train.txt", "--model", f"{name}.riata", "--threads", threads)[0] == 0
    assert len({(folder / f"{name}.riata").read_bytes() for name in "abc"}) == 1


def test_training_data_may_be_compressed_and_models_are_the_same(trained, run):
    (trained / "train.txt").unlink()
    (trained / "train.txt").write_bytes(gzip.compress(as_text().encode()))
    options = ("--recipe", "perceptron", "--epochs", "5")
    assert run("train", "chunk", "--train", "train.txt", "--model", "gz.riata", *options)[0] == 0
    assert (trained / "gz.riata").read_bytes() == (trained / "m.riata").read_bytes()


def test_settings_reach_the_recipe(folder, run):
    options = [
        "--set",
        "average=false",
        "--set",
        "shuffle=false",
        "--seed",
        "3",
        "--cutoff",
        "2",
        "--template",
        "classic",
    ]
    assert run("train", "chunk", "--train", "train.txt", "--model", "m.riata", *options)[0] == 0
    model = riata.load_model("m.riata")
    assert (model.settings, model.seed, model.cutoff) == ({"average": "false", "shuffle": "false"}, 3, 2)
    again = Chunker(settings={"average": False, "shuffle": False}, seed=3, cutoff=2, template="classic")
    assert again.fit(riata.read_columns("train.txt")).predict(CHUNKS) == model.predict(CHUNKS)


def test_weights_that_truncation_leaves_out_are_told(folder, run):
    options = ("--recipe", "laso-alma", "--epochs", "2", "--set", "p=4", "--set", "truncate=0.1")
    status, _, err = run("train", "chunk", "--train", "train.txt", "--model", "m.riata", *options)
    assert status == 0
    assert len(re.findall(r"epoch .* [\d,]+ small weights left out", err)) == 2
    assert "% wrong" not in err  # which learners that search do not know


def test_resume_goes_on_from_the_model(trained, run):
    before = (trained / "m.riata").read_bytes()
    cold = ("train", "chunk", "--train", "train.txt", "--model", "cold.riata", "--epochs", "1")
    assert run(*cold)[0] == 0
    status, _, err = run("train", "chunk", "--train", "train.txt", "--model", "m.riata", "--resume", "--epochs", "1")
    assert status == 0
    assert "0 updates" in err  # what five epochs have learnt is right from the first sentence on
    after = riata.load_model("m.riata")
    by_hand = riata.estimators.model_file.from_bytes(before).set_params(warm_start=True, epochs=1)
    assert after.predict(CHUNKS) == by_hand.fit(riata.read_columns("train.txt")).predict(CHUNKS)
    assert (trained / "cold.riata").read_bytes() != (trained / "m.riata").read_bytes()


def test_resume_without_development_data_leaves_out_what_they_were_for(folder, run):
    train = ("train", "chunk", "--train", "train.txt", "--model", "m.riata")
    assert run(*train, "--dev-fraction", "0.25", "--patience", "2", "--refit", "--epochs", "2")[0] == 0
    run.ok(*train, "--resume", "--epochs", "1")
    loaded = riata.load_model("m.riata")
    assert (loaded.dev, loaded.patience, loaded.refit) == (None, None, False)


def test_resume_with_another_recipe_leaves_out_what_means_nothing_to_it(folder, run):
    train = ("train", "chunk", "--train", "train.txt", "--model", "m.riata")
    first = (
        "--structure",
        "chain",
        "--recipe",
        "laso-alma",
        "--beam",
        "3",
        "--seeds",
        "2",
        "--epochs",
        "1",
        "--set",
        "alpha=0.8",
    )
    assert run(*train, *first)[0] == 0
    run.ok(*train, "--resume", "--recipe", "crf", "--set", "c2=1", "--epochs", "2")
    loaded = riata.load_model("m.riata")
    assert (loaded.recipe, loaded.seeds, loaded.beam, loaded.settings) == ("crf", 1, None, {"c2": "1"})
    err = run.fails(*train, "--resume", "--recipe", "crf", "--seeds", "2")
    assert "Leave out seeds" in err


def test_development_data_choose_the_epoch(folder, run):
    options = ["--dev-fraction", "0.25", "--patience", "2", "--refit", "--epochs", "8", "--json"]
    status, out, err = run("train", "chunk", "--train", "train.txt", "--model", "m.riata", *options)
    assert status == 0
    assert re.search(r"^epoch +1 +dev \d", err, re.MULTILINE)
    assert re.search(r"^again epoch +1 ", err, re.MULTILINE)
    assert set(json.loads(out)["metrics"]) == {"f1"}


def test_conllu_is_tagged_by_the_penn_tags_of_its_forms(folder, run):
    assert run("train", "tag", "--train", "train.conllu", "--model", "t.riata")[0] == 0
    model = riata.load_model("t.riata")
    assert sorted(model.classes_) == ["DT", "NNS", "RB", "VB", "VBP"]
    assert (model.inputs_, model.output_) == ((1,), 4)


# --- predict --------------------------------------------------------------------------------------------------------------
def test_predict_adds_a_column(trained, run):
    out = run.silent("predict", "--model", "m.riata", "train.txt")
    expected = riata.load_model("m.riata").predict(CHUNKS)
    labels = iter([label for sentence in expected for label in sentence])
    lines = as_text().splitlines()
    assert out.splitlines() == [f"{line} {next(labels)}" if line else "" for line in lines]


def test_predict_writes_the_same_on_any_number_of_threads(trained, run, monkeypatch):
    monkeypatch.setattr("riata.data.columns.PIECE", 64)
    (trained / "long.txt").write_text(as_text() * 30)
    outputs = {run("predict", "--model", "m.riata", "long.txt", "--threads", threads) for threads in "1237"}
    assert len(outputs) == 1
    assert outputs.pop()[1].startswith("The DT B-NP B-NP\ndog NN I-NP")
    (trained / "bad.txt").write_text(as_text() * 30 + "one too many columns\n" + as_text() * 30)
    status, out, err = run("predict", "--model", "m.riata", "bad.txt", "--threads", "3")
    assert status == 2
    assert f"bad.txt:{30 * len(as_text().splitlines()) + 1}: expected 3 columns" in err
    assert out.startswith("The DT B-NP B-NP\n")
    assert run("predict", "--model", "m.riata", "long.txt", "--threads", "0")[0] == 2


def test_predict_gives_the_n_best_as_blocks_with_rank_and_score(trained, run):
    out = run.silent("predict", "--model", "m.riata", "train.txt", "--nbest", "3")
    expected = []
    for sentence, found in zip(CHUNKS, riata.load_model("m.riata").predict_nbest(CHUNKS, 3), strict=True):
        assert len(found) == 3
        for rank, (labels, score) in enumerate(found):
            expected.append(
                [f"# {rank} {score:.6f}", *(" ".join((*t, y)) for t, y in zip(sentence, labels, strict=True))]
            )
    assert out == "".join("\n".join(block) + "\n\n" for block in expected)
    for wrong in ("0", "-1", "x"):
        assert run("predict", "--model", "m.riata", "train.txt", "--nbest", wrong)[0] == 2


def test_n_best_lists_keep_the_lines_of_documents(trained, run, monkeypatch):
    first, rest = as_text().split("\n\n", 1)
    (trained / "documents.txt").write_text(f"-DOCSTART- a\n\n{first}\n\n-DOCSTART- b\n\n-DOCSTART- c\n\n{rest}")
    plain = run("predict", "--model", "m.riata", "documents.txt")[1]
    for listed in (1 << 20, 1):  # written at once, and sentence by sentence
        monkeypatch.setattr("riata.estimators.labelled_files.LISTED", listed)
        for k in (1, 2):
            _, out, _ = run("predict", "--model", "m.riata", "documents.txt", "--nbest", str(k))
            blocks = out.strip("\n").split("\n\n")
            best = [block for block in blocks if not block.startswith("# 1 ")]
            kept = [line for block in best for line in (*block.split("\n"), "") if not line.startswith("# 0 ")]
            assert "\n".join([*kept, ""]) == plain


def test_predict_refuses_n_best_lists_of_a_beam(folder, run):
    asked = ["train", "chunk", "--train", "train.txt", "--model", "b.riata", "--recipe", "early", "--epochs", "1"]
    for structure, reason in (("chain", "queue 'beam'"), ("segments", "label[-2]")):
        assert run(*asked, "--structure", structure)[0] == 0
        err = run.refused("predict", "--model", "b.riata", "train.txt", "--nbest", "2")
        assert reason in err


def test_predict_takes_input_without_the_output_column_and_keeps_separators(trained, run):
    inputs = [[token[:2] for token in sentence] for sentence in CHUNKS]
    (trained / "new.tsv").write_text(as_text(inputs, "\t"), encoding="utf-8")
    out = run.ok("predict", "--model", "m.riata", "new.tsv")
    assert {len(line.split("\t")) for line in out.splitlines() if line} == {3}
    assert [row[-1] for row in rows(out) if row] == [
        row[-1] for row in rows(run("predict", "--model", "m.riata", "train.txt")[1]) if row
    ]


def test_predict_keeps_the_starts_of_documents(trained, run):
    document = "-DOCSTART- -X- O\n\n" + as_text(CHUNKS[:1]) + "-DOCSTART- -Y- O\n\n" + as_text(CHUNKS[1:2])
    (trained / "docs.txt").write_text(document, encoding="utf-8")
    out = run("predict", "--model", "m.riata", "docs.txt")[1]
    kept = [line.rsplit(" ", 1)[0] if line and not line.startswith("-DOC") else line for line in out.splitlines()]
    assert kept == document.splitlines()


def test_predict_writes_utf_8_whatever_the_locale(trained):
    for encoding in ("ascii", "latin-1"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(
            [*RIATA, "predict", "--model", "m.riata", "train.txt"], capture_output=True, env=environment, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert "Größe NN B-NP" in done.stdout.decode("utf-8")


def test_predict_gives_conllu_with_the_tags_replaced(folder, run):
    assert run("train", "tag", "--train", "train.conllu", "--model", "t.riata")[0] == 0
    blank = re.sub(r"\t(DT|NNS|VBP|RB|VB)\t", "\t_\t", CONLLU)
    (folder / "blank.conllu").write_text(blank, encoding="utf-8")
    out = run("predict", "--model", "t.riata", "blank.conllu")[1]
    tokens = [line for line in CONLLU.splitlines() if re.match(r"\d+\t", line)]
    assert [line for line in out.splitlines() if re.match(r"\d+\t", line)] == tokens
    assert "# sent_id = 2" in out
    (folder / "blank.txt").write_text(blank, encoding="utf-8")
    assert run("predict", "--model", "t.riata", "blank.txt", "--format", "conllu")[1] == out


def test_a_model_of_columns_has_no_field_for_its_labels_in_conllu(folder, run):
    Tagger(epochs=1).fit([["a"]], [["A"]]).save("py.riata")
    err = run.refused("predict", "--model", "py.riata", "train.conllu")
    assert "not trained on CoNLL-U" in err


def test_predict_answers_before_its_input_ends(trained):
    process = subprocess.Popen(
        [*RIATA, "predict", "--model", "m.riata", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        for word in ("The DT", "A DT"):
            process.stdin.write(f"{word}\ndog NN\n\n".encode())
            process.stdin.flush()
            answer = [process.stdout.readline() for _ in range(3)]  # would wait for ever if nothing came
            assert answer == [f"{word} B-NP\n".encode(), b"dog NN I-NP\n", b"\n"]
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, b"", b"")
    finally:
        process.kill()
        process.wait()


def test_a_reader_that_leaves_is_no_error(trained):
    (trained / "big.txt").write_text(as_text() * 5000, encoding="utf-8")
    process = subprocess.Popen(
        [*RIATA, "predict", "--model", "m.riata", "big.txt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline().startswith(b"The DT B-NP B-NP")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), err) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "verb", [["predict", "--model", "m.riata", "train.txt"], ["inspect", "m.riata"], ["pieces", "--json"], ["--help"]]
)
def test_output_to_a_full_disk_is_an_error(trained, verb):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*RIATA, *verb], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "Error: output: No space left on device.\n")


# --- evaluate --------------------------------------------------------------------------------------------------------------
def test_evaluate_scores_a_model(trained, run):
    out = run.silent("evaluate", "--model", "m.riata", "test.txt", "--json")
    facts = json.loads(out)
    assert list(facts)[: len(KEYS)] == KEYS
    expected = riata.load_model("m.riata").evaluate(riata.read_columns("test.txt"))
    assert facts["metrics"] == pytest.approx(expected.metrics, abs=1e-4)
    assert list(facts["metrics"]) == ["precision", "recall", "f1", "accuracy"]
    assert facts["tokens"] == 9
    assert set(facts["types"]) == {"NP", "VP", "PP"}
    assert facts["seconds_decode"] > 0
    table = run("evaluate", "--model", "m.riata", "test.txt")[1]
    assert "95 % interval" in table
    assert "NP" in table


def test_evaluate_compares_two_files(trained, run):
    gold, wrong = as_text(CHUNKS), as_text(CHUNKS).replace("I-NP", "O")
    for name, text in (("gold.txt", gold), ("mine.txt", wrong), ("same.txt", gold)):
        (trained / name).write_text(text, encoding="utf-8")
    facts = json.loads(run("evaluate", "--gold", "gold.txt", "--predicted", "mine.txt", "--json")[1])
    # Of 11 chunks in gold, the three of two tokens are cut short and so wrong.
    assert facts["metrics"]["precision"] == facts["metrics"]["recall"] == pytest.approx(100 * 8 / 11, abs=1e-3)
    assert facts["metrics"]["accuracy"] == pytest.approx(100 * 13 / 16, abs=1e-3)
    assert facts["task"] == "chunk"
    assert (
        json.loads(run("evaluate", "--gold", "gold.txt", "--predicted", "same.txt", "--json")[1])["metrics"]["f1"]
        == 100
    )
    both = ("evaluate", "--gold", "gold.txt", "--predicted", "same.txt", "--against", "mine.txt")
    against = json.loads(run(*both, "--json")[1])["against"]
    assert against["difference"] == pytest.approx(100 - 100 * 8 / 11, abs=1e-3)
    assert 0 < against["p_value"] <= 1
    assert "same.txt minus mine.txt: +27.27" in run(*both)[1]


def test_evaluate_takes_plain_labels_for_tags_unless_told(trained, run):
    (trained / "tags.txt").write_text(as_text([[t[:2] for t in s] for s in CHUNKS]), encoding="utf-8")
    facts = json.loads(run("evaluate", "--gold", "tags.txt", "--predicted", "tags.txt", "--json")[1])
    assert (facts["task"], facts["metrics"]) == ("tag", {"accuracy": 100.0})
    told = ("evaluate", "--gold", "train.txt", "--predicted", "train.txt", "--task", "tag", "--json")
    assert json.loads(run(*told)[1])["metrics"] == {"accuracy": 100.0}


@for_rows(
    "options",
    [],
    ["train.txt"],
    ["--model", "m.riata"],
    ["--gold", "train.txt"],
    ["--model", "m.riata", "train.txt", "--gold", "train.txt"],
    ["--model", "m.riata", "train.txt", "--against", "train.txt"],
    ["train.txt", "--gold", "train.txt", "--predicted", "train.txt"],
    ["--model", "m.riata", "train.txt", "--gold", "train.txt", "--predicted", "train.txt"],
    ids=" ".join,
)
def test_evaluate_ignores_nothing_that_was_asked(trained, run, options):
    err = run.refused("evaluate", *options)
    assert "give either --model MODEL FILE, or --gold FILE --predicted FILE" in err


# --- the other verbs -----------------------------------------------------------------------------------------------------
def test_inspect_shows_what_a_model_holds(trained, run):
    facts = json.loads(run("inspect", "m.riata", "--json", "--top", "2")[1])
    model = riata.load_model("m.riata")
    assert facts["labels"] == len(model.classes_)
    assert facts["settings"]["epochs"] == 5
    assert facts["training"]["tokens"] == 16
    assert facts["training"]["label_counts"]["B-NP"] == 6
    assert set(facts["heaviest"]) == set(model.classes_)
    assert all(len(weights) <= 2 for weights in facts["heaviest"].values())
    text = run("inspect", "m.riata", "--label", "B-NP", "--top", "50")[1]
    for feature, _ in json.loads(run("inspect", "m.riata", "--json", "--label", "B-NP", "--top", "3")[1])["heaviest"][
        "B-NP"
    ]:
        assert feature in text
    err = run.fails("inspect", "m.riata", "--label", "B-PN")
    assert "Unknown label 'B-PN'. Did you mean 'B-" in err


def test_inspect_shows_the_weights_of_pairs_of_labels_with_words(folder, run):
    (folder / "mine.template").write_text("word[0]\nedge\nedge word[0]\nedge tag[-1] tag[0]\n")
    run("train", "chunk", "--train", "train.txt", "--template", "mine.template", "--model", "m.riata", "--epochs", "2")
    facts = json.loads(run("inspect", "m.riata", "--json", "--top", "1000")[1])
    shown = {(feature, pair): weight for feature, pair, weight in facts["edges"]}
    assert any(feature.startswith("edge word[0]=") for feature, _ in shown)
    assert any(feature.startswith("edge tag[-1]=") and " tag[0]=" in feature for feature, _ in shown)
    weights = [abs(weight) for _, _, weight in facts["edges"]]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0
    feature, pair, _ = facts["edges"][0]
    text = run("inspect", "m.riata", "--top", "1")[1]
    assert feature in text and pair in text
    label = pair.partition(" -> ")[0]
    mine = json.loads(run("inspect", "m.riata", "--json", "--label", label, "--top", "1000")[1])["edges"]
    assert mine and all(label in edge.split(" -> ") for _, edge, _ in mine)
    assert len(mine) < len(facts["edges"])


def test_inspect_says_what_cannot_be_shown_of_a_hashed_model(folder, run):
    assert run("train", "chunk", "--train", "train.txt", "--model", "m.riata", "--bits", "12")[0] == 0
    text = run.ok("inspect", "m.riata", "--top", "2")
    assert "Features are hashed: they have no names" in text
    assert "B-NP -> " in text
    assert "bits=12" in "".join(text.split())
    facts = json.loads(run("inspect", "m.riata", "--json")[1])
    assert facts["heaviest"] is None
    assert facts["training"]["label_counts"]["B-NP"] == 6
    err = run.refused("inspect", "m.riata", "--label", "B-NP")
    assert "hashed (bits=12), and hashes have no names" in err
    assert "Train without bits" in err


def test_pieces_lists_the_registry(run):
    text = run.ok("pieces")
    found = json.loads(run("pieces", "--json")[1])
    for kind in found:
        assert tuple(found[kind]) == registry.names(kind)
        assert all(name in text for name in found[kind])
        assert all(facts["summary"] for facts in found[kind].values())
    assert len(text.splitlines()) < 60  # a screen of names
    assert {setting["name"] for setting in found["recipe"]["perceptron"]["settings"]} >= {"average", "shuffle"}


@pytest.mark.parametrize("kind", ["recipes", "loss", "losses", "attributes", "templates"])
def test_pieces_of_a_kind_say_what_they_are(run, kind):
    text = run.ok("pieces", kind)
    assert "what it is" in text
    assert ("maximise the" in text) == (kind == "recipes")


def test_pieces_of_a_name_have_their_settings(run):
    text = run.ok("pieces", "crf")
    assert "crf (recipe): " in text and "c2=auto: " in text
    assert all(f"joint ({kind})" in run("pieces", "joint")[1] for kind in ("task", "structure"))
    assert json.loads(run("pieces", "crf", "--json")[1])["recipe"].keys() == {"crf"}
    assert json.loads(run("pieces", "losses", "--json")[1]).keys() == {"loss"}
    err = run.fails("pieces", "cfr")
    assert "Did you mean 'crf'?" in err


def test_data_are_listed_and_found(run, monkeypatch, tmp_path):
    monkeypatch.setenv("RIATA_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    listed = run("data", "list")[1]
    assert all(name in listed for name in registry.names("data set"))
    path = run("data", "path", "embedded", "test")[1].strip()
    assert riata.read_columns(path).tokens == embedded(split="test").tokens
    for verb in (("data", "path", "conll2000"), ("data", "path", "conll200"), ("data", "path", "embedded", "tset")):
        err = run.refused(*verb)
        assert err.startswith("Error: ")
    assert "Did you mean 'test'" in err


def test_demo_trains_scores_and_explains(run):
    text = run.ok("demo", "--sentences", "2")
    for word in ("tag:", "chunk:", "ner:", "95 % interval", "heaviest features first", "riata train"):
        assert word in text
    out = run.ok("demo", "--json")
    results = json.loads(out)
    assert list(results) == ["tag", "chunk", "ner"]
    assert results["tag"]["metrics"]["accuracy"] > 80
    assert results["chunk"]["metrics"]["f1"] > 80
    assert results["ner"]["metrics"]["f1"] > 40


@pytest.mark.parametrize("called", some_slow(["by its path", "by its name", "as a module"], ["by its name"]))
def test_what_the_demo_prints_as_next_steps_can_be_typed(called, tmp_path):
    """As after `make demo`, which calls .venv/bin/riata in a folder without any data; what is typed is read by a shell."""
    program = Path(sys.executable).parent / "riata"
    if not program.exists():
        pytest.skip("riata is not installed as a program")
    folder = tmp_path / "my project"
    (folder / ".venv").mkdir(parents=True)
    (folder / ".venv" / "bin").symlink_to(program.parent)
    way = {"by its path": ".venv/bin/riata", "by its name": "riata", "as a module": f"{sys.executable} -m riata"}[
        called
    ]
    path = [str(program.parent)] if called == "by its name" else []
    known = {**os.environ, "PATH": os.pathsep.join([*path, "/usr/bin", "/bin"])}
    shell = {"shell": True, "cwd": folder, "env": known, "capture_output": True, "text": True, "timeout": 60}
    shown = subprocess.run(f"{way} demo --sentences 0", **shell)
    assert shown.returncode == 0, shown.stderr
    steps = [line.strip() for line in shown.stdout.split("Next,")[1].splitlines()[1:]]
    assert [step.split(" --")[0].split()[-1] for step in steps] == [
        "train.txt",
        "test.txt",
        "chunk",
        "evaluate",
        "explain",
    ]
    assert all(way in step for step in steps)
    for step in steps if called == "by its path" else ():
        # The others differ in how riata is called, which the demo itself has shown.
        done = subprocess.run(step, **shell)
        assert done.returncode == 0, f"{step}: {done.stderr}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_that_asks_riata(run, shell):
    out = run.ok("completion", shell)
    assert "_RIATA_COMPLETE" in out


def test_completion_answers_the_shell():
    def complete(words):
        environment = {
            **os.environ,
            "_RIATA_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        program = "from riata.commands import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60
        )
        assert done.stderr == ""
        return done.stdout.split()

    assert complete("riata tr") == ["plain,train"]
    assert "plain,--dev-fraction" in complete("riata train --de")
    assert complete("riata nosuch --de") == []


@for_rows(
    "verb",
    [],
    ["train"],
    ["predict"],
    ["evaluate"],
    ["inspect"],
    ["pieces"],
    ["data"],
    ["data", "fetch"],
    ["demo"],
    ["completion"],
)
def test_help_shows_examples(run, verb):
    out = run.ok(*verb, "--help")
    assert "Usage: riata" in out
    assert "riata " in out.split("\n", 1)[1] or verb == ["data", "fetch"]


def test_help_and_version_work_as_a_module():
    for option in ("--help", "--version"):
        done = subprocess.run([*RIATA, option], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0
        assert "riata" in done.stdout


def test_markup_in_names_is_shown_as_it_is(trained, run):
    (trained / "a[/b]").mkdir(parents=True)
    (trained / "a[/b]" / "m.riata").write_bytes((trained / "m.riata").read_bytes())
    (trained / "a[/b]" / "t.txt").write_text(as_text(), encoding="utf-8")
    name = "a[/b]/m.riata"
    assert name in run("inspect", name)[1]
    assert name in run("evaluate", "--model", name, "a[/b]/t.txt")[1]
    assert name in run("train", "chunk", "--train", "a[/b]/t.txt", "--model", name)[2]
    pair = ("evaluate", "--gold", "a[/b]/t.txt", "--predicted", "a[/b]/t.txt", "--against", "a[/b]/t.txt")
    assert "a[/b]/t.txt minus a[/b]/t.txt" in run(*pair)[1]


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------------
def started(folder, *options):
    """A long training in a process of its own, in which Ctrl-C works as in a terminal."""
    sentences = as_text(embedded())
    (folder / "long.txt").write_text(sentences * 40, encoding="utf-8")
    command = [*RIATA, "train", "chunk", "--train", "long.txt", "--model", "m.riata", "--epochs", "1000", *options]
    return subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def finished(process):
    try:
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err
    finally:
        process.kill()
        process.wait()


def test_ctrl_c_keeps_the_last_good_epoch(folder):
    process = started(folder)
    lines = []
    while not (lines and lines[-1].startswith("epoch   2")):
        lines.append(process.stderr.readline())
        assert lines[-1], "training ended before it was interrupted"
    process.send_signal(signal.SIGINT)
    status, out, err = finished(process)
    assert (status, out) == (130, "")
    assert "Traceback" not in err
    assert err.endswith("Interrupted.\n")
    kept = int(re.search(r"The model of epoch (\d+) is in m.riata; --resume goes on from it", err)[1])
    told = [int(n) for n in re.findall(r"^epoch +(\d+)", "".join(lines) + err, re.MULTILINE)]
    assert kept >= 2
    assert kept - told[-1] in (0, 1)  # 1: complete, but interrupted before it was told
    model = riata.load_model(folder / "m.riata")
    assert model.best_epoch_ == kept
    same = Chunker(epochs=kept).fit(riata.read_columns(folder / "long.txt"))
    assert model.predict(embedded(split="test")) == same.predict(embedded(split="test"))
    assert not list(folder.glob("*.part")) and not list(folder.glob(".*.part"))


def test_sigterm_keeps_the_last_good_epoch_too(folder):
    """Batch systems and containers send it before they kill."""
    process = started(folder)
    while not (line := process.stderr.readline()).startswith("epoch   2"):
        assert line, "training ended before it was interrupted"
    process.send_signal(signal.SIGTERM)
    status, out, err = finished(process)
    assert (status, out) == (143, "")
    assert err.endswith("Ended by SIGTERM.\n")
    assert riata.load_model(folder / "m.riata").best_epoch_ >= 2


@pytest.mark.parametrize("resume", [False, True])
def test_ctrl_c_before_the_first_epoch_ends_leaves_the_old_model(folder, resume):
    Chunker(epochs=1).fit(embedded()).save(folder / "m.riata")
    before = (folder / "m.riata").read_bytes()
    process = started(folder, "--dev-fraction", "0.01", *(["--resume"] if resume else []))
    assert "held out" in process.stderr.readline()  # told before the features are made and the first epoch starts
    process.send_signal(signal.SIGINT)
    status, out, err = finished(process)
    assert (status, out, err.strip()) == (130, "", "Interrupted.")
    assert (folder / "m.riata").read_bytes() == before


def test_ctrl_c_while_reading_is_quiet(folder):
    process = subprocess.Popen(
        [*RIATA, "train", "chunk", "--train", "-", "--model", "m.riata"], cwd=folder, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    process.stdin.write(as_text() * 5000)  # more than a pipe holds: when it is written, the reader is at work
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    status, out, err = finished(process)
    assert (status, out, err.strip()) == (130, "", "Interrupted.")
    assert not (folder / "m.riata").exists()


def test_training_never_overwrites_what_it_reads_or_what_is_no_model(tmp_path):
    corpus = tmp_path / "c.txt"
    corpus.write_text("The DT B-NP\ndog NN I-NP\n\n", encoding="utf-8")
    other = tmp_path / "notes.txt"
    other.write_text("keep me", encoding="utf-8")
    for target in (corpus, other):
        before = target.read_bytes()
        command = [sys.executable, "-m", "riata", "train", "chunk", "--train", str(corpus), "--model", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2, done.stderr
        assert "cannot be written" in done.stderr
        assert target.read_bytes() == before


def test_columns_written_to_a_gz_name_are_compressed(tmp_path):
    path = tmp_path / "x.txt.gz"
    corpus = riata.load("embedded", "test")
    riata.write_columns(corpus, path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert list(riata.read_columns(path)) == list(corpus)


def test_predictions_go_to_a_file_completely_or_not_at_all(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.txt").write_text(as_text())
    assert run("train", "chunk", "--train", "train.txt", "--model", "m.riata", "--epochs", "1")[0] == 0
    printed = run("predict", "--model", "m.riata", "train.txt")[1]
    assert run("predict", "--model", "m.riata", "train.txt", "--output", "out.txt")[:2] == (0, "")
    assert Path("out.txt").read_text() == printed
    Path("bad.txt").write_text(as_text() + "\nonly-one-column\n\n")
    err = run.fails("predict", "--model", "m.riata", "bad.txt", "--output", "out.txt")
    assert "bad.txt" in err
    assert Path("out.txt").read_text() == printed
    err = run.fails("predict", "--model", "m.riata", "train.txt", "--output", "none/out.txt")
    assert "its folder does not exist" in err


def test_help_of_train_has_headings(run):
    shown = run("train", "--help")[1]
    headings = [line[:-1] for line in shown.splitlines() if re.fullmatch(r"[A-Z][a-z ]+:", line)]
    assert headings == ["Data", "Learner", "Features", "Two passes", "Constraints", "Output", "Other options"]
    shown = shown[shown.index("Data:") :]
    assert (
        shown.index("--train FILE") < shown.index("--recipe") < shown.index("--template") < shown.index("--model FILE")
    )


# --- `riata predict` starts soon: it imports what predicting needs, and nothing that learns, draws or scores ---------
NOT_NEEDED = (
    "scipy", "sklearn", "rich", "matplotlib", "pandas", "concurrent.futures", "difflib", "gzip", "tempfile", "importlib.resources",
    "riata.commands.console", "riata.confidence.calibration", "riata.data.pairs",
    "riata.structures.joint.templates", "riata.structures.segments.templates",
    "riata.problems.predictor", "riata.explaining.trace", "riata.learning.diagnostics", "riata.learning.events", "riata.learning.fit",
    "riata.learning.search", "riata.structures.joint.model", "riata.structures.segments.model", "riata.public", "riata.scoring",
    "riata.estimators.predictions",
)  # fmt: skip
PROGRAM = """
import sys
from riata.entry import main
try:
    main(sys.argv[1:])
finally:
    print("\\n".join(sys.modules), file=sys.stderr)
"""


def modules_after(*arguments):
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True)
    return done.stdout, set(done.stderr.split())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "chunker.riata"
    Chunker(epochs=1).fit(CHUNKS).save(path)
    return path


def test_predict_imports_nothing_that_it_does_not_need(model, tmp_path):
    file = tmp_path / "short.txt"
    file.write_text("The DT\nbus NN\n\n")
    output, modules = modules_after("predict", "--model", str(model), str(file))
    assert [len(line.split()) for line in output.splitlines()] == [3, 3, 0]
    assert sorted(modules.intersection(NOT_NEEDED)) == []


def test_import_riata_imports_nothing_else():
    code = "import sys, riata; print(*(m for m in sys.modules if m.startswith(('riata.', 'numpy', 'rich', 'scipy'))))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""
