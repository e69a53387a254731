"""BILOU: B- opens a chunk of two or more, L- ends it; a chunk of one (a unit) is U-."""

from riata.data.encodings.base import Encoding, Writing

ENCODING = Encoding(
    name="bilou",
    chunk=Writing(single="U", first="B", inside="I", last="L"),
    touching=Writing(single="U", first="B", inside="I", last="L"),
    follow_same={"O": "O", "B": "IL", "I": "IL", "L": "BU", "U": "BU"},
    follow_other={"O": "BU", "B": "", "I": "", "L": "OBU", "U": "OBU"},
    hints={"O": "iob2", "B": "iob2", "I": "iob1", "E": "bioes", "S": "bioes"},
)
