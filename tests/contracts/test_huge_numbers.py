"""Numbers beyond all bounds, and of more digits than Python prints, are refused in words."""

import pytest

import riata
from checks import refused
from riata.errors import DataError, SettingError
from riata.settings import Setting
from samples import TAGS, WORDS, for_rows

HUGE = 10**5000
WHOLE = ("beam", "epochs", "seed", "seeds", "bits", "cutoff", "threads", "shards", "patience")


@for_rows("value", HUGE, -HUGE, 2**64, 1e308, "9" * 5000, b"3", bytearray(b"3"), ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_beyond_all_bounds_are_refused(name, value):
    made = riata.Tagger("early", dev=0.5, **{name: value})
    assert len(str(refused(SettingError, name, made.fit, WORDS, TAGS))) < 400
    assert len(repr(made)) < 200


def test_whole_numbers_without_a_limit_of_their_own_have_that_of_the_core():
    setting = Setting("many", 1, "", low=1)
    assert setting.parse(10**15) == 10**15
    refused(SettingError, r"from 1 to 1e\+15", setting.parse, 10**15 + 1)
    refused(SettingError, "number of about 5,000 digits>; expected a whole number from 1 to", setting.parse, HUGE)
    refused(SettingError, "at least 1", setting.parse, 0)


@pytest.mark.parametrize("sentences", [[[{"w": HUGE}]], [["a", HUGE]], [[["a", HUGE]]]])
def test_huge_numbers_in_data_are_refused(sentences):
    refused(DataError, r"digits|cannot be printed", riata.Tagger().fit, sentences, [["A"] * len(sentences[0])])


def test_huge_labels_and_weights_are_refused():
    refused(DataError, "digits", riata.Tagger().fit, [["a"]], [[HUGE]])
    refused(DataError, "sample_weight", riata.Tagger(epochs=1).fit, WORDS, TAGS, sample_weight=[HUGE] * len(WORDS))


def test_a_huge_loss_is_refused():
    from riata.problems.scores import _finite

    refused(DataError, "number of about 5,000 digits", _finite, HUGE)


@pytest.mark.parametrize("option", ["--inputs", "--outputs", "--epochs", "--cutoff", "--beam"])
def test_options_of_thousands_of_digits_are_refused_in_few_words(run, option):
    err = run.fails("train", "tag", "--train", "-", "--model", "m.riata", option, "9" * 5000)
    assert option[2:] in err
    assert len(err) < 600


def test_a_cutoff_beyond_64_bits_is_refused(run, tmp_path):
    (tmp_path / "t.txt").write_text("a A\nb B\n")
    err = run.fails("train", "tag", "--train", tmp_path / "t.txt", "--model", tmp_path / "m", "--cutoff", 2**63)
    assert "expected a whole number from 1 to 1e+15" in err
