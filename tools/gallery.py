"""Runs the examples of docs/gallery.md and stores the pictures that they draw in docs/gallery: `python tools/gallery.py`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / part) for part in ("helpers", "docs")]

os.environ.setdefault("MPLBACKEND", "agg")
from test_blocks import outputs, prepare  # noqa: E402


def main() -> None:
    import matplotlib

    # The same picture gives the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "riata", "svg.fonttype": "none"})
    target = ROOT / "docs" / "gallery"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        os.chdir(folder)
        outputs(ROOT / "docs" / "gallery.md")
        for picture in sorted(Path(folder).glob("*.svg")):
            (target / picture.name).write_bytes(picture.read_bytes())
            print(target / picture.name)


if __name__ == "__main__":
    main()
