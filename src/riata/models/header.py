"""What the headers of all model files have in common."""

from __future__ import annotations

from riata.registry import qualified_name as qualified_name

FORMAT = "riata model"
SETTING = "setting "  # before the name of a setting whose value is a function: its role among the functions of a model
TAGGER = "tag"  # the task of the taggers that a model with tags of its own stores
PROBLEM = "problem"  # used instead of a task's name, by predictors of problems in Python
