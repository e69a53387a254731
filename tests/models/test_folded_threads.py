"""Threads that meet new words while others decode: none waits for the interpreter and the table of types in turn."""

import subprocess
import sys

MANY = """
import random, threading, riata

train = riata.load("embedded", "train")
model = riata.Chunker(epochs=1).fit(train, listener=lambda event: None)
words = [token[0] for sentence in train for token in sentence]
wrong = []

def work(seed):
    rng = random.Random(seed)
    for i in range(8):  # words of ASCII, which the core looks at, and others, which Python adds
        ends = [rng.choice(("ü", "z")) + f"{seed}{i}{k}" for k in range(12)]
        sentences = [[(rng.choice(words) + end, "NN") for end in ends] for _ in range(300)]
        labels = [label for found in model.predict(sentences) for label in found]
        wrong.extend(a for a, b in zip(labels, model.predict_ids(sentences)) if a != model.classes_[b])

threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(wrong))
"""


def test_threads_do_not_wait_for_each_other_for_ever():
    done = subprocess.run(
        [sys.executable, "-c", MANY], capture_output=True, text=True, timeout=60
    )  # a deadlock runs into it
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
