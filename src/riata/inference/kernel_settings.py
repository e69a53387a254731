"""Settings of structures whose tokens are scored by a kernel function."""

from __future__ import annotations

from typing import Any

from riata.settings import Setting

AUTO, ALL = "auto", "all"
SMALLEST = 1e-9
KERNELS = ("linear", "poly", "rbf")


class KernelSetting(Setting):
    """The name of a kernel function, or a function in Python."""

    def parse(self, value: Any) -> Any:
        return value if callable(value) else super().parse(value)

    def expected(self) -> str:
        return f"{super().expected()}, or a function of two arrays"


class CountOrWord(Setting):
    """A whole number, or a word."""

    @property
    def _type(self) -> type:
        return int


SETTINGS = (
    KernelSetting(
        "kernel",
        "poly",
        "of the features of two tokens, x and z: linear, x.z; poly, (gamma x.z + coefficient)^degree; rbf, exp(-gamma |x - z|^2); or, "
        "in Python, a function",
        choices=KERNELS,
    ),
    Setting("degree", 2, "of the kernel poly", low=1, high=20, only={"kernel": ("poly",)}),
    Setting(
        "gamma",
        AUTO,
        "of the kernels poly and rbf; auto: 1 / the mean of |x|^2 in the training data",
        low=SMALLEST,
        words=(AUTO,),
        only={"kernel": ("poly", "rbf")},
    ),
    Setting("coefficient", 1.0, "of the kernel poly", low=0, high=1e6, only={"kernel": ("poly",)}),
    CountOrWord(
        "budget",
        ALL,
        "support tokens that are kept at most; once there are so many, steps leave out tokens that are none",
        low=1,
        high=10_000_000,
        words=(ALL,),
    ),
)
