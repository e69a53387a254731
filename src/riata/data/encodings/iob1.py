"""IOB1 (CoNLL-2003 as distributed): I- throughout; B- only where a chunk touches one of its own type."""

from riata.data.encodings.base import Encoding, Writing

ENCODING = Encoding(
    name="iob1",
    chunk=Writing(single="I", first="I", inside="I", last="I"),
    touching=Writing(single="B", first="B", inside="I", last="I"),
    follow_same={"O": "O", "I": "IB", "B": "IB"},
    follow_other={"O": "I", "I": "OI", "B": "OI"},
    hints={"B": "iob2", "E": "bioes", "S": "bioes", "L": "bilou", "U": "bilou"},
)
