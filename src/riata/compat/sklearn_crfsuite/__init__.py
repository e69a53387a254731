"""sklearn-crfsuite's estimator, in front of Riata's models: `from riata.compat import sklearn_crfsuite`."""

from riata.compat.sklearn_crfsuite import metrics
from riata.compat.sklearn_crfsuite.estimator import CRF

__all__ = ["CRF", "metrics"]
