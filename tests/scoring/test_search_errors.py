"""Search errors and model errors, against enumeration by hand."""

import riata

SENTENCES = riata.load("embedded", "test", ("word", "tag", "chunk"))


def trained(**params):
    return riata.Chunker(epochs=2, **params).fit(
        riata.load("embedded", "train", ("word", "tag", "chunk"))[:120], listener=lambda event: None
    )


def test_exact_search_makes_no_search_errors():
    chunker = trained()
    errors = chunker.search_errors(SENTENCES)
    labels, gold = chunker.predict(SENTENCES), SENTENCES.sentences_of(-1)
    assert errors.wrong == sum(a != b for a, b in zip(labels, gold, strict=True)) > 0
    assert errors.search == 0
    assert errors.model + errors.ties == errors.wrong


def test_a_greedy_decoder_makes_search_errors_where_exact_search_finds_another_output():
    chunker = trained()
    exact = chunker.predict(SENTENCES)
    chunker.set_params(queue="greedy")
    greedy, gold = chunker.predict(SENTENCES), SENTENCES.sentences_of(-1)
    parted = sum(g != e and g != t for g, e, t in zip(greedy, exact, gold, strict=True))
    errors = chunker.search_errors(SENTENCES)
    assert parted > 0
    assert errors.search == parted
    assert errors.search + errors.model + errors.ties == errors.wrong
