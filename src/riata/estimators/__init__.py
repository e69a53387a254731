"""What estimators of sequences share: one duty per file, such as parameters, columns, predicting, evaluating and fitting."""
