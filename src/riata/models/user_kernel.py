"""A kernel function that the user has written in Python, checked whenever it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from riata._core import FeatureIndex, Instances, feature_vectors
from riata.errors import DataError, shortened

MOST = 1e30  # the largest value of a kernel, as in the core: products with coefficients must not overflow in single precision
SAMPLE = 40  # tokens on which symmetry is checked
# How many features each vector has, numbers, values.
Packed = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]


class UserKernel:
    """Calls the user's function with two arrays, [m, d] and [n, d], and expects their kernel matrix, [m, n].

    array_width: d of arrays of numbers; None: features have names, and the matrices are sparse (scipy's csr_matrix).
    """

    def __init__(self, function: Callable[[Any, Any], Any], array_width: int | None) -> None:
        self.function, self.array_width = function, array_width

    def __call__(self, one: Packed, many: Packed, width: int) -> NDArray[np.float64]:
        """One row of the matrix, as the core asks for it."""
        return np.ascontiguousarray(self.matrix(one, many, width)[0])

    def matrix(self, one: Packed, other: Packed, width: int) -> NDArray[np.float64]:
        left, right = self._matrix_of(one, width), self._matrix_of(other, width)
        try:
            found = np.asarray(self.function(left, right))
            if not np.iscomplexobj(found):  # of which the imaginary part would get lost
                found = found.astype(np.float64)
        except Exception as error:
            raise DataError(shortened(f"the kernel function failed: {error!r}.")) from error
        if np.iscomplexobj(found):
            raise DataError("the kernel function gave complex numbers.", remedy="Return real numbers.")
        expected = (left.shape[0], right.shape[0])
        if found.shape != expected:
            raise DataError(
                f"the kernel function gave an array of shape {list(found.shape)} for {expected[0]} and {expected[1]} tokens; expected "
                f"{list(expected)}.",
                remedy="Return the kernel of every row of the first array with every row of the second.",
            )
        if not np.isfinite(found).all():
            raise DataError("the kernel function gave NaN or infinity.", remedy="Scale the features, or the function.")
        if (largest := float(np.abs(found).max(initial=0.0))) > MOST:
            raise DataError(
                f"the kernel function gave a number of the size {largest:.3g}; expected at most {MOST:g}.",
                remedy="Scale the features, or the function.",
            )
        return found

    def check(self, index: FeatureIndex, instances: Instances) -> None:
        """Refuses a function that is no kernel on the first tokens of the data: not symmetric, or negative where x is z."""
        vectors, width, _ = feature_vectors(index, instances, SAMPLE)
        found = self.matrix(vectors, vectors, width)
        apart = np.abs(found - found.T)
        if (apart > 1e-6 * max(1.0, float(np.abs(found).max(initial=0.0)))).any():
            i, j = (int(at) for at in np.unravel_index(int(apart.argmax()), apart.shape))
            raise DataError(
                f"the kernel function is not symmetric: k(x, z) is {found[i, j]:g} and k(z, x) is {found[j, i]:g} for tokens {i} and {j}.",
                remedy="A kernel is a product of two vectors, so the order of its arguments does not matter.",
            )
        if (own := float(found.diagonal().min(initial=0.0))) < -1e-6 * max(1.0, float(np.abs(found).max(initial=0.0))):
            raise DataError(
                f"the kernel function gave {own:g} for a token and itself; expected a number of at least 0.",
                remedy="A kernel is a product of two vectors, so k(x, x) is a squared length.",
            )

    def _matrix_of(self, packed: Packed, width: int) -> Any:
        counts, ids, values = packed
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        found = csr_matrix((values.astype(np.float64), ids, starts), shape=(len(counts), width))
        return found if self.array_width is None else found.toarray()
