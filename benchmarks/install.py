"""Installs the peers one by one, so that one that has no wheel here keeps none of the others out: `python -m benchmarks.install`."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import requires


def peers() -> list[str]:
    """The extra `bench` of pyproject.toml, as pip reads it."""
    found = (requirement.partition(";") for requirement in requires("riata") or ())
    return [name.strip() for name, _, marker in found if "bench" in marker]


def pip(peer: str) -> bool:
    return subprocess.run([sys.executable, "-m", "pip", "install", "-q", peer]).returncode == 0


def install(names: Iterable[str], attempt: Callable[[str], bool] = pip) -> None:
    for peer in names:
        if not attempt(peer):
            print(f"{peer} did not install; its contestants will not run.", file=sys.stderr)


if __name__ == "__main__":
    install(peers())
