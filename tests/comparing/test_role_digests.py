"""Comparisons keep what is finished under a digest of the data, which must know the roles."""

import riata
from riata.comparing.planning import of_corpus

CORPUS = riata.load("embedded-roles")


def test_other_roles_are_other_data():
    bare = CORPUS.with_propositions([[one.with_roles(()) for one in each] for each in CORPUS.propositions])
    assert of_corpus(bare) != of_corpus(CORPUS)
    assert of_corpus(bare.with_propositions(CORPUS.propositions)) == of_corpus(CORPUS)
