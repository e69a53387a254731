"""UDPipe 1, trained from Python: its parser with default settings, 10 iterations, gold tags and features."""

import tempfile
from pathlib import Path

from ufal import udpipe

from benchmarks.contest import Split, timed
from benchmarks.trees import INPUTS, OUTPUTS, Trees, run
from riata.data.conllu import write_conllu

FIELDS = [*INPUTS, *OUTPUTS]
PARSER = "iterations=10"


def sentences(path: Path) -> list[udpipe.Sentence]:
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(path.read_text(encoding="utf-8"))
    found, sentence = [], udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise ValueError(error.message)
    return found


def contest(split: Split) -> tuple[Trees, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("train.conllu", "scored.conllu", "model.udpipe")]
        for corpus, path in zip((split.train, split.scored), paths, strict=False):
            write_conllu(corpus, path, FIELDS)
        train, scored = (sentences(path) for path in paths[:2])
        error = udpipe.ProcessingError()
        model, seconds = timed(
            lambda: udpipe.Trainer.train(
                "morphodita_parsito", udpipe.Sentences(train), udpipe.Sentences(), "none", "none", PARSER, error
            )
        )
        if error.occurred():
            raise ValueError(error.message)
        paths[2].write_bytes(model)
        loaded = udpipe.Model.load(str(paths[2]))
        _, decode = timed(lambda: [loaded.parse(sentence, udpipe.Model.DEFAULT, error) for sentence in scored])
        trees = [[(word.head, word.deprel) for word in list(sentence.words)[1:]] for sentence in scored]
    return trees, {"seconds_train": seconds, "seconds_decode": decode}


if __name__ == "__main__":
    run(contest)
