"""Draws docs/playground.png, the playground of `riata serve` as a browser shows it.

    python tools/playground.py [OUT.png]

Needs Pillow, Playwright, Chromium and the extra `serve`. A conditional random field and a greedy search learn chunks from the
embedded corpus.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

import riata
from browsing import draw, tab

TARGET = Path(__file__).parent.parent / "docs" / "playground.png"
SIZE = 1280, 1010
SENTENCE = "The old man the boats while the bus left without them."


def main(target: Path) -> None:
    train = riata.load("embedded", "train", ("word", "tag", "chunk")).select([0, 2])
    made = {
        "crf": riata.Chunker("crf", epochs=30),
        "greedy": riata.Chunker("laso-perceptron", structure="chain", beam=1, epochs=2),
    }
    with tempfile.TemporaryDirectory() as folder, tab(*SIZE) as shown:
        options = []
        for name, chunker in made.items():
            chunker.fit(train, listener=lambda event: None).save(Path(folder) / f"{name}.riata")
            options += ["--model", f"{folder}/{name}.riata"]
        command = [sys.executable, "-m", "riata", "serve", "--port", "0", *options]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            address = re.search(r"http://\S+", server.stderr.readline())[0]
            shown.goto(
                f"{address}/#{urlencode({'text': SENTENCE, 'model': 'crf', 'other': 'greedy', 'confidence': 1})}"
            )
            shown.wait_for_selector(".output:nth-child(2)")
            shown.click("#watch")
            shown.frame_locator("#viewer iframe").locator(".node.output").first.wait_for()
            shown.evaluate("scrollTo(0, 0)")
            draw(shown, target)
            server.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
