"""Text chunking, the CoNLL-2000 shared task (Tjong Kim Sang & Buchholz 2000)."""

from riata.data.datasets import DataSet, File

DATASET = DataSet(
    name="conll2000",
    summary="text chunking, English news; the CoNLL-2000 shared task",
    licence="none stated (Wall Street Journal text); research use",
    files={
        "train": File("train.txt", "2e2f24e90e20fcb910ab2251b5ed8cd0"),
        "test": File("test.txt", "56944df34be553b72a2a634e539a0951"),
    },
    columns=("word", "tag", "chunk"),
    default=("word", "tag", "chunk"),
    where="Put train.txt and test.txt of the shared task (or of NLTK's conll2000 corpus) into $RIATA_DATA/conll2000.",
    url="https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/conll2000.zip",
)
