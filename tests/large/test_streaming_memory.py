"""Training from a file in parts, hashed, takes the same memory however long the file is and however many words it has."""

import subprocess
import sys

import pytest

from samples import embedded

PROGRAM = """
import sys, riata, riata.data.files, warnings
from riata.measuring.cost import peak_mb
warnings.simplefilter("ignore")
riata.data.files.PART = 1 << 18
riata.Chunker(bits=18, epochs=1, stream=True, dev=0.1).fit(sys.argv[1])
print(peak_mb())
"""
MOST_MB = 4  # what the allocator may differ by


def write_noisy(path, copies):
    """Every word new in every copy."""
    with open(path, "w", encoding="utf-8") as file:
        for copy in range(copies):
            for sentence in embedded():
                file.writelines(f"{word}{copy} {tag} {chunk}\n" for word, tag, chunk in sentence)
                file.write("\n")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for copies in (10, 80):
        write_noisy(tmp_path / "train.txt", copies)
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / "train.txt")]
        peaks.append(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    assert peaks[1] - peaks[0] < MOST_MB, peaks
