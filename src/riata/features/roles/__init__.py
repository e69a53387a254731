"""What a role labeller sees: constituents and dependents of a predicate as slots, and their properties as columns."""
