"""Riata: laso-perceptron, beam 8, template `parse`, 10 epochs; xpos is chosen while parsing, upos comes from its own tagger."""

from benchmarks.trees import run, tagging_itself

if __name__ == "__main__":
    run(tagging_itself("joint", structure="transitions", recipe="laso-perceptron", beam=8, epochs=10))
