"""The cost of training, in instructions: linear in the data, at most linear in the beam."""

import itertools
import subprocess
import sys

import pytest

from benchmarks import growth
from samples import embedded


@pytest.fixture(scope="module")
def rows():
    if growth.missing():
        pytest.skip(growth.missing())
    return growth.measure()["rows"]


@pytest.mark.slow
def test_cost_is_linear_in_the_data(rows):
    per_token = [row["instructions"] / row["tokens"] for row in rows if row["by"] == "data"]
    assert len(per_token) == len(growth.DATA)
    for less, more in itertools.pairwise(per_token):  # a little cheaper with more data: fewer updates per token
        assert 0.8 * less < more < 1.05 * less


@pytest.mark.slow
def test_cost_is_at_most_linear_in_the_beam(rows):
    cost = {row["beam"]: row["instructions"] for row in rows if row["by"] == "beam"}
    assert sorted(cost) == list(growth.BEAMS)
    for narrow, wide in itertools.pairwise(growth.BEAMS):
        assert cost[narrow] < cost[wide] <= cost[narrow] * wide / narrow


# --- training from a file in parts -----------------------------------------------------------------------------------
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
