"""Lines that start with # in files of columns: comments where they cannot be tokens."""

import pytest

import riata
from riata.data.columns import stream
from riata.errors import DataError


def read(tmp_path, text):
    (tmp_path / "d.txt").write_text(text)
    return riata.read_columns(tmp_path / "d.txt")


def sentences(corpus):
    return [list(sentence) for sentence in corpus]


@pytest.mark.parametrize("blank", ["", "\n"])
def test_comments_before_sentences_are_left_out_and_kept(tmp_path, blank):
    text = f"# a corpus of two sentences\n{blank}# id 1 of many\nThe DT\n# NN\n\n# more about it\nIt PRP\n\n"
    corpus = read(tmp_path, text)
    assert sentences(corpus) == [[("The", "DT"), ("#", "NN")], [("It", "PRP")]]
    assert corpus.comments == ("# a corpus of two sentences\n# id 1 of many", "# more about it")
    assert list(corpus.lines) == [3 + len(blank), 4 + len(blank), 7 + len(blank)]


def test_a_sentence_without_a_comment_may_come_first(tmp_path):
    corpus = read(tmp_path, "a X\n\nb X\n\n# the third one\nc X\n\nd X\n")
    assert corpus.comments == ("", "", "# the third one", "")
    assert len(corpus) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# NN\nb X\n\n", [[("#", "NN"), ("b", "X")]]),
        ("# NN\n\n#x Y\nb X\n\n", [[("#", "NN")], [("#x", "Y"), ("b", "X")]]),
        ("# NN\n\n# NN\n", [[("#", "NN")], [("#", "NN")]]),
        ("#\tNN\nb c\tX\n", [[("#", "NN"), ("b c", "X")]]),
        ("-DOCSTART- O\n\n#tag X\na Y\n", [[("#tag", "X"), ("a", "Y")]]),
    ],
)
def test_lines_that_can_be_tokens_are_tokens(tmp_path, text, expected):
    assert sentences(read(tmp_path, text)) == expected


def test_a_comment_within_a_sentence_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(DataError, match="found 3: '# a comment'") as refused:
        read(tmp_path, "The DT\n# a comment\ndog NN\n\n")
    assert refused.value.line == 2
    assert "before the first token of a sentence" in refused.value.remedy


def test_ragged_lines_are_not_hidden_by_comments(tmp_path):
    with pytest.raises(DataError, match="expected 2 columns") as refused:
        read(tmp_path, "# c\na X\nb\n")
    assert refused.value.line == 3


def test_comments_are_read_in_parts_as_in_one(tmp_path):
    text = "# one two three\na X\n\n" * 3 + "b X\n\n" * 5 + "# last one here\nc X\n\n"
    whole = read(tmp_path, text)
    for size in (1, 7, 20, 1000):
        parts = list(stream(tmp_path / "d.txt", size=size))
        assert [each for part in parts for each in sentences(part)] == sentences(whole)
        said = [text for part in parts for text in (part.comments or ("",) * len(part))]
        assert tuple(said) == whole.comments


def test_predictions_keep_comments(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    riata.Tagger("perceptron", epochs=1).fit([["a", "b"]] * 9, [["X", "Y"]] * 9).save("m.riata")
    (tmp_path / "new.txt").write_text("# of the first sentence\na\nb\n\n")
    with pytest.raises(SystemExit):
        riata.commands.main(["predict", "--model", "m.riata", "new.txt"])
    assert capsys.readouterr().out.splitlines()[:2] == ["# of the first sentence", "a X"]
