"""IOB2, or BIO (CoNLL-2000): every chunk starts with B- and goes on with I-."""

from riata.data.encodings.base import Encoding, Writing

ENCODING = Encoding(
    name="iob2",
    chunk=Writing(single="B", first="B", inside="I", last="I"),
    touching=Writing(single="B", first="B", inside="I", last="I"),
    follow_same={"O": "O", "B": "BI", "I": "BI"},
    follow_other={"O": "B", "B": "OB", "I": "OB"},
    hints={"I": "iob1", "E": "bioes", "S": "bioes", "L": "bilou", "U": "bilou"},
)
