"""What a run cost, and where its figures come from."""
