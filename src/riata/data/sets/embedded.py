"""The corpus that comes with Riata, written and annotated for it (its data card: corpus/README.md)."""

from pathlib import Path

from riata.data.datasets import DataSet, File

DATASET = DataSet(
    name="embedded",
    summary="464 English sentences of eight kinds with tags, chunks and entities; comes with Riata",
    licence="Apache-2.0",
    files={"train": File("train.conll"), "test": File("test.conll")},
    columns=("word", "tag", "chunk", "entity"),
    default=("word", "tag", "chunk"),
    where="It is part of the package: install Riata again.",
    folder=Path(__file__).parent.parent / "embedded",
)
