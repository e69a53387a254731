"""Choosing among the best outputs of another model by features of whole outputs (Daumé 2006, Sec. 2.2.9)."""
