"""Riata: the same, the models of five seeds summed into one."""

from benchmarks.contest import run_joint
from riata import JointTagger

if __name__ == "__main__":
    run_joint(lambda seed: JointTagger(beam=10, epochs=6, learn_as="bioes", seed=seed, seeds=5, threads=1), seeds=1)
