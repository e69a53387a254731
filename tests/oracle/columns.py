"""The slow twin of the column reader: the whole file at once, one line after another."""


class Malformed(Exception):
    """Carries the number of the line that does not fit."""


def read_text(text):
    """Sentences of (row, line number) pairs, and documents as (line, sentence that follows)."""
    sentences, documents, separator, width = [[]], [], None, None
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip(" \t"):
            sentences.append([])
        elif line.lstrip(" ").replace("\t", " ").split(" ")[0] == "-DOCSTART-":
            sentences.append([])
            documents.append((line, sum(map(bool, sentences))))
        else:
            if separator is None and "\r" in line:  # of files whose lines end with CR alone
                raise Malformed(number)
            separator = separator or ("\t" if "\t" in line else " ")
            row = line.split("\t") if separator == "\t" else [field for field in line.split(" ") if field]
            width = width or len(row)
            if len(row) != width or "" in row or any("\t" in field for field in row):
                raise Malformed(number)
            sentences[-1].append((tuple(row), number))
    kept = [sentence for sentence in sentences if sentence]
    return kept, [document for document in documents if document[1] < len(kept)]
