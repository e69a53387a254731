"""Vowpal Wabbit: learning to search, its task `dep_parser`, words and tags, three passes, 24 bits."""

import tempfile
from pathlib import Path

import vowpalwabbit

from benchmarks.contest import Split, timed
from benchmarks.trees import Trees, run
from riata.data.types import Corpus

PASSES = 3
UNKNOWN = "dep"


def clean(text: str) -> str:
    """Colons, bars and spaces mean something to VW."""
    return text.replace(":", "COLON").replace("|", "BAR").replace(" ", "_")


def write(corpus: Corpus, numbers: dict[str, int], path: Path) -> None:
    """A line per token; its label is head and number of the relation. Relations that training has not seen are the first."""
    columns = [corpus.sentences_of(column) for column in (0, 2, 4, 5)]
    with open(path, "w", encoding="utf-8") as file:
        for sentence in zip(*columns, strict=True):
            for word, tag, head, relation in zip(*sentence, strict=True):
                file.write(f"{head},{numbers.get(relation, 1)} |w {clean(word)} |p {clean(tag)}\n")
            file.write("\n")


def contest(split: Split) -> tuple[Trees, dict[str, float]]:
    relations = sorted({relation for sentence in split.train.sentences_of(5) for relation in sentence})
    numbers = {relation: i for i, relation in enumerate(relations, 1)}
    with tempfile.TemporaryDirectory() as folder:
        train, scored, model, found = (Path(folder, name) for name in ("train.vw", "scored.vw", "model", "found"))
        write(split.train, numbers, train)
        write(split.scored, numbers, scored)
        labels = ["--root_label", str(numbers["root"]), "--num_label", str(len(relations))]
        search = ["--search_task", "dep_parser", "--search", str(len(relations)), *labels, "--search_no_caching"]
        how = ["--search_rollin", "mix_per_roll", "--search_rollout", "oracle", "--search_alpha", "1e-5"]
        passes = ["--passes", str(PASSES), "-c", "-k", "--holdout_off", "--search_history_length", "3", "-b", "24"]
        options = ["-d", str(train), "-f", str(model), "--quiet", *search, *how, *passes]
        _, seconds = timed(lambda: vowpalwabbit.Workspace(arg_list=options).finish())
        asked = ["-d", str(scored), "-i", str(model), "-t", "-p", str(found), "--quiet"]
        _, decode = timed(lambda: vowpalwabbit.Workspace(arg_list=asked).finish())
        rows = found.read_text(encoding="utf-8").split("\n\n")
    trees = [[read(line, relations) for line in row.splitlines() if line.strip()] for row in rows if row.strip()]
    return trees, {"seconds_train": seconds, "seconds_decode": decode}


def read(line: str, relations: list[str]) -> tuple[int, str]:
    """Head and relation. Now and then, VW gives a number that is no relation."""
    head, number = map(int, line.split()[0].split(":"))
    return head, relations[number - 1] if 0 < number <= len(relations) else UNKNOWN


if __name__ == "__main__":
    run(contest)
