"""Universal Dependencies Hungarian Szeged treebank (Vincze et al. 2010), whose trees have many crossing arcs."""

from riata.data.datasets import DataSet, File
from riata.data.types import FIELDS

DATASET = DataSet(
    name="ud-hu-szeged",
    summary="dependencies and morphology, Hungarian newspaper text; Universal Dependencies",
    licence="CC BY-NC-SA 3.0",
    files={
        "train": File("hu_szeged-ud-train.conllu", "d95e29619eefe506bf9dd8008055edbd"),
        "dev": File("hu_szeged-ud-dev.conllu", "785047e3814adfb8c945c9b3d6796d6f"),
        "test": File("hu_szeged-ud-test.conllu", "ecc4d160d14dac60d46db0521195c1f8"),
    },
    columns=FIELDS,
    default=("form", "upos"),
    where="Put hu_szeged-ud-{train,dev,test}.conllu of UD_Hungarian-Szeged into $RIATA_DATA/ud-hu-szeged.",
    conllu=True,
)
