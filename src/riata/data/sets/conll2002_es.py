"""Named entities in Spanish news, the CoNLL-2002 shared task (Tjong Kim Sang 2002)."""

from riata.data.datasets import DataSet, File

DATASET = DataSet(
    name="conll2002-es",
    summary="named entities, Spanish news; the CoNLL-2002 shared task (testa is the development set)",
    licence="research in the context of the shared task only",
    files={
        "train": File("esp.train", "c8c6b342371b9de2f83a93767d352c17"),
        "testa": File("esp.testa", "de0578160dde26ec68cc580595587dde"),
        "testb": File("esp.testb", "c8d35f340685a2ce6559ee90d78f9e37"),
    },
    columns=("word", "tag", "entity"),
    default=("word", "tag", "entity"),
    where="Put esp.train, esp.testa and esp.testb in UTF-8 (as in NLTK's conll2002 corpus) into $RIATA_DATA/conll2002-es.",
    url="https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/conll2002.zip",
)
