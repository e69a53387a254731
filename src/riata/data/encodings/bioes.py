"""BIOES, or IOBES: B- opens a chunk of two or more, E- ends it; a chunk of one is S-."""

from riata.data.encodings.base import Encoding, Writing

ENCODING = Encoding(
    name="bioes",
    chunk=Writing(single="S", first="B", inside="I", last="E"),
    touching=Writing(single="S", first="B", inside="I", last="E"),
    follow_same={"O": "O", "B": "IE", "I": "IE", "E": "BS", "S": "BS"},
    follow_other={"O": "BS", "B": "", "I": "", "E": "OBS", "S": "OBS"},
    hints={"O": "iob2", "B": "iob2", "I": "iob1", "L": "bilou", "U": "bilou"},
)
