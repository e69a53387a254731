"""Riata: mira, exact projective trees, template `parse-siblings`, 5 epochs; tags of its own taggers."""

from benchmarks.trees import own_tags, run

if __name__ == "__main__":
    run(own_tags(recipe="mira", template="parse-siblings", epochs=5))
