"""python-crfsuite, the default template of Riata's chunker."""

from benchmarks import plain
from benchmarks.crfsuite import CRFsuite
from benchmarks.stages import run

if __name__ == "__main__":
    run(CRFsuite("default", plain.default))
