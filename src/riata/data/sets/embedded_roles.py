"""Sixteen sentences with semantic roles that come with Riata, written and annotated for it: enough to try things out, not to learn much."""

from pathlib import Path

from riata.data.datasets import DataSet, File
from riata.data.propbank import COLUMNS, FORMAT
from riata.data.sets.srl import roles

DATASET = DataSet(
    name="embedded-roles",
    summary="16 English sentences with semantic roles, as an example; comes with Riata",
    licence="Apache-2.0",
    files={"train": File("roles-train.txt"), "test": File("roles-test.txt")},
    columns=COLUMNS,
    default=COLUMNS,
    where="It is part of the package: install Riata again.",
    reader=roles,
    format=FORMAT,
    folder=Path(__file__).parent.parent / "embedded",
)
