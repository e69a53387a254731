"""IO: every token of a chunk has its type alone, PER PER O. Two chunks of a type that touch are one."""

from riata.data.encodings.base import Encoding, Writing


class Bare(Encoding):
    """Tags are types of two letters or more; in the tables, as in scores, they count as I."""

    bare = True

    def split(self, tag: str) -> tuple[str, str]:
        if len(tag.partition("-")[0]) < 2:  # O, or a prefix of another encoding
            return (tag, "") if tag in self.follow_same and tag != self.chunk.inside else ("", tag)
        return self.chunk.inside, tag

    def tag(self, prefix: str, type_: str) -> str:
        return type_ if prefix == self.chunk.inside else prefix


ENCODING = Bare(
    name="io",
    chunk=Writing(single="I", first="I", inside="I", last="I"),
    touching=Writing(single="I", first="I", inside="I", last="I"),
    follow_same={"O": "O", "I": "I"},
    follow_other={"O": "I", "I": "OI"},
    hints={"B": "iob2", "I": "iob1", "E": "bioes", "S": "bioes", "L": "bilou", "U": "bilou"},
)
