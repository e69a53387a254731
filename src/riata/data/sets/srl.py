"""Semantic roles of PropBank (Palmer, Gildea & Kingsbury 2005) on the English Web Treebank, with Universal Dependencies."""

from pathlib import Path

from riata.data.datasets import DataSet, File
from riata.data.propbank import COLUMNS, FORMAT, RoleCorpus, read_propbank


def roles(path: Path, split: str) -> RoleCorpus:
    """All columns, with the propositions."""
    return read_propbank(path)


DATASET = DataSet(
    name="srl",
    summary="semantic roles, English web text; PropBank joined with Universal Dependencies 2.16",
    licence="CC BY-SA 4.0 (annotation)",
    files={
        "train": File("en_ewt-propbank-train.txt", "75faf7cb6137641f25ea272eee251ec9"),
        "dev": File("en_ewt-propbank-dev.txt", "abfc3a528bd8866dd4621436ab80f2cf"),
        "test": File("en_ewt-propbank-test.txt", "c79d08c9098e202cc06a870f898a3e39"),
    },
    columns=COLUMNS,
    default=COLUMNS,
    where="Join the skeletons of propbank-release (google/ewt) with UD_English-EWT r2.16, and put "
    "en_ewt-propbank-{train,dev,test}.txt into $RIATA_DATA/srl; docs/roles.md describes the columns.",
    reader=roles,
    format=FORMAT,
)
