"""Riata: mira, exact projective trees, template `parse`, 5 epochs."""

from benchmarks.trees import riata_parser, run

if __name__ == "__main__":
    run(riata_parser(recipe="mira", epochs=5))
