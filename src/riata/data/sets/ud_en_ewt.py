"""Universal Dependencies English Web Treebank (Silveira et al. 2014), release 2.16."""

from riata.data.datasets import DataSet, File
from riata.data.types import FIELDS

DATASET = DataSet(
    name="ud-en-ewt",
    summary="parts of speech and dependencies, English web text; Universal Dependencies 2.16",
    licence="CC BY-SA 4.0 (annotation)",
    files={
        "train": File("en_ewt-ud-train.conllu", "fa9865539033efcf99ea90f8b93d6646"),
        "dev": File("en_ewt-ud-dev.conllu", "cb1da95ff28a449cb9bc286c922e15e1"),
        "test": File("en_ewt-ud-test.conllu", "01630da0129f8600ef761dbcfd18b9e2"),
    },
    columns=FIELDS,
    default=("form", "xpos"),
    where="Put en_ewt-ud-{train,dev,test}.conllu of UD_English-EWT r2.16 into $RIATA_DATA/ud-en-ewt.",
    conllu=True,
    url="https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/r2.16",
)
