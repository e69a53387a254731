"""Riata: tags and chunk labels in one search, words alone as input, chunks learnt as BIOES, beam 10, 6 epochs, five seeds.

The score is F1 of all chunks.
"""

from benchmarks.contest import run_joint
from riata import JointTagger

if __name__ == "__main__":
    run_joint(lambda seed: JointTagger(beam=10, epochs=6, learn_as="bioes", seed=seed), seeds=5)
