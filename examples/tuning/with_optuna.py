"""Chooses the settings of a conditional random field with optuna, on development data.

    python examples/tuning/with_optuna.py [train.txt]

The file has one token per line, the label in its last column; without one, the corpus that comes with Riata is used. The last tenth of
the sentences is development data. Test data take no part in the choice: score the chosen model on them once.
"""

from __future__ import annotations

import sys
import warnings

import optuna

import riata

TRIALS = 15


def objective(trial, train, dev):
    """F1 of chunks on development data, in per cent. A trial that is worse than others after some epochs ends early."""
    settings = {"c1": trial.suggest_float("c1", 1e-3, 1.0, log=True), "c2": trial.suggest_float("c2", 1e-3, 1.0, log=True)}
    chunker = riata.Chunker("crf", epochs=30, settings=settings, cutoff=trial.suggest_int("cutoff", 1, 3), dev=dev)

    def report(event):
        score = getattr(event, "dev_score", None)
        if score is not None:
            trial.report(score, event.epoch)
            if trial.should_prune():
                raise optuna.TrialPruned

    chunker.fit(train, listener=report)
    return chunker.best_score_


def main():
    warnings.simplefilter("ignore", riata.RiataWarning)
    data = riata.read_columns(sys.argv[1]) if len(sys.argv) > 1 else riata.load("embedded", "train")
    cut = len(data) - len(data) // 10
    train, dev = data[:cut], data[cut:]
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=0),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=5),
    )
    study.optimize(lambda trial: objective(trial, train, dev), n_trials=TRIALS)
    pruned = sum(trial.state == optuna.trial.TrialState.PRUNED for trial in study.trials)
    print(f"{len(study.trials)} trials, {pruned} of them ended early")
    print(f"best: F1 {study.best_value:.2f} with {study.best_params}")


if __name__ == "__main__":
    main()
