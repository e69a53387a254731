"""From the parameters of an estimator to what they mean: a recipe, a structure, a queue, and options,
or the reason why they do not go together.

Training and prediction both ask here; nothing here learns or predicts.
"""
