"""What all pictures share: matplotlib, an extra (`plots`), and where they may go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.atomic_file import check_target
from riata.errors import SettingError, UnsupportedError

KINDS = (".svg", ".png")


def check(path: Path, option: str = "--plot") -> None:
    """Finds out before the work, not after it, that there can be no picture. option: what the user gave the path as."""
    check_place(path, option)
    check_installed(option)


def check_place(path: Path, option: str = "--plot") -> None:
    if path.suffix not in KINDS:
        raise SettingError(f"{option} is {str(path)!r}; expected a name that ends in {' or '.join(KINDS)}.")
    check_target(path, "the picture", f"Choose another {option}.")


def check_installed(option: str = "--plot") -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UnsupportedError(
            f"{option} needs matplotlib, which is not installed.",
            remedy=f"pip install matplotlib, or leave out {option}.",
        ) from None


def canvas(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=150)


def heat(axes: Any, values: NDArray[Any], form: str = "{:.1f}") -> None:
    """A heat map with its numbers; what is not a number stays empty."""
    axes.imshow(values, cmap="Blues")
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = "white" if value > middle else "black"
            axes.text(j, i, form.format(value), ha="center", va="center", fontsize=8, color=colour)
