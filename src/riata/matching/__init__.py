"""Who goes with whom: pairs of sets with links, features of possible links, and how links are scored."""
