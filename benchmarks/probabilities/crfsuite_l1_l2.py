"""python-crfsuite: L-BFGS with c1 = c2 = 0.1, CRFsuite's template, to convergence."""

from benchmarks.contest import conll2000, run
from benchmarks.crfsuite import trained_by

if __name__ == "__main__":
    run(conll2000, trained_by("lbfgs", c1=0.1, c2=0.1), chunks=True)
