"""Templates of single tokens, without those that read labels of neighbours."""

from dataclasses import replace

from riata.features.languages.chain import LANGUAGE as OF_CHAINS

LANGUAGE = replace(
    OF_CHAINS,
    keeps=lambda template, use: not template.edge and not template.labels,
    without_words=None,
    borrowed=True,
)
