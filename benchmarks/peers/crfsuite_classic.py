"""python-crfsuite, CRFsuite's template."""

from benchmarks import plain
from benchmarks.crfsuite import CRFsuite
from benchmarks.stages import run

if __name__ == "__main__":
    run(CRFsuite("classic", plain.classic))
