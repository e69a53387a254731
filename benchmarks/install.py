"""Installs the peers one by one, so that one that has no wheel here keeps none of the others out: `python -m benchmarks.install`."""

import subprocess
import sys
from importlib.metadata import requires


def peers() -> list[str]:
    """The extra `bench` of pyproject.toml, as pip reads it."""
    found = (requirement.partition(";") for requirement in requires("riata") or ())
    return [name.strip() for name, _, marker in found if "bench" in marker]


if __name__ == "__main__":
    for peer in peers():
        if subprocess.run([sys.executable, "-m", "pip", "install", "-q", peer]).returncode != 0:
            print(f"{peer} did not install; its contestants will not run.", file=sys.stderr)
