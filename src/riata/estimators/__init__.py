"""What estimators of sequences share: by the names of labels, development data, what is shown of them."""
