"""Models behind NLTK's interface."""

import pytest

from checks import refused
from riata import Chunker, DependencyParser, Tagger
from riata.errors import NotFittedError, UnsupportedError
from samples import CHUNKS, TAGS, UNSEEN, WORDS, treebank

pytest.importorskip("nltk", reason="NLTK is not installed: pip install nltk")

from riata.integrations.nltk_tagger import NltkTagger


@pytest.fixture(scope="module")
def tagger():
    return Tagger("perceptron", epochs=3).fit(WORDS, TAGS)


def test_it_tags_as_the_model_does(tagger, tmp_path):
    tagger.save(tmp_path / "t.riata")
    for made in (NltkTagger(tagger), NltkTagger(tmp_path / "t.riata")):
        assert made.tag_sents(UNSEEN) == [
            list(zip(w, t, strict=True)) for w, t in zip(UNSEEN, tagger.predict(UNSEEN), strict=True)
        ]
        assert made.tag(UNSEEN[0]) == made.tag_sents(UNSEEN)[0]
        assert made.tag([]) == []
        assert made.tag_sents([["dog"], []])[1] == []
    assert "Tagger" in repr(NltkTagger(tagger))


def test_nltk_scores_it(tagger):
    gold = [list(zip(w, t, strict=True)) for w, t in zip(WORDS, TAGS, strict=True)]
    assert NltkTagger(tagger).accuracy(gold) == tagger.score(WORDS, TAGS)


def test_models_that_read_more_than_words_are_refused():
    refused(UnsupportedError, "reads 2 columns", NltkTagger, Chunker("perceptron", epochs=1).fit(CHUNKS))
    with pytest.raises(UnsupportedError, match="no labels of words"):
        NltkTagger(DependencyParser("perceptron", epochs=1).fit(treebank()))
    refused(UnsupportedError, "no labels of words", NltkTagger, 3)
    refused(NotFittedError, "", NltkTagger, Tagger())
