"""Going on from a model of tags and chunks with words that it has not seen."""

import riata
from samples import embedded, quietly


def test_weights_keep_their_features_when_the_index_grows():
    data = embedded(("word", "tag", "chunk"))[:100]
    words = data.sentences_of(0)
    labels = [list(zip(*each, strict=True)) for each in zip(data.sentences_of(1), data.sentences_of(2), strict=True)]
    tagger = quietly(riata.JointTagger("laso-perceptron", epochs=3, warm_start=True), words, labels)
    before = tagger.predict(words)
    tagger.set_params(epochs=1)
    unseen = [[word[::-1] + "x" for word in sentence] for sentence in words[:5]]
    quietly(tagger, unseen, labels[:5])
    pairs = [(a, b) for x, y in zip(before, tagger.predict(words), strict=True) for a, b in zip(x, y, strict=True)]
    assert sum(a == b for a, b in pairs) / len(pairs) > 0.97
