"""Settings of max-margin learners that make no sense: one clear message each, in Python and on the command line."""

import json

import numpy as np
import pytest

import riata
from checks import refused
from riata.errors import DataError, SettingError
from samples import embedded

TRAIN = embedded()[:20]
LABELS = len(set(TRAIN.columns[-1].texts()))
WRONG = [
    ("m3n", {"C": 0}, "setting 'C' has the value 0"),
    ("m3n", {"C": -1}, "setting 'C' has the value -1"),
    ("m3n", {"gap": 0}, "setting 'gap' has the value 0"),
    ("m3n", {"gap": -0.1}, "setting 'gap' has the value -0.1"),
    ("m3n", {"solver": "newton"}, "setting 'solver' has the value 'newton'"),
    ("svm-subgradient", {"C": 0}, "setting 'C' has the value 0"),
    ("svmstruct-margin", {"epsilon": 0}, "setting 'epsilon' has the value 0"),
    ("svmstruct-slack", {"epsilon": -1}, "setting 'epsilon' has the value -1"),
    ("svmstruct-slack", {"C": -1}, "setting 'C' has the value -1"),
    ("m3n", {"loss": "cost-matrix", "costs": [[0, 1, 1], [1, 0, 1]]}, "expected a square array"),
    ("m3n", {"loss": "cost-matrix", "costs": [[0, -1], [1, 0]]}, "setting 'costs' has the cost -1"),
    ("mira", {"loss": "cost-matrix", "costs": [[0, 0], [0, 0]]}, "setting 'costs' is 0 everywhere"),
    (
        "m3n",
        {"loss": "cost-matrix", "costs": [[0, 1], [1, 0]]},
        f"has 2 rows and columns, but the data have {LABELS} labels",
    ),
    ("svm-subgradient", {"loss": "cost-matrix", "costs": {"O": {"B-NP": -3}}}, "setting 'costs' has the cost -3"),
    ("svmstruct-margin", {"loss": "cost-matrix"}, "costs is empty"),
]


@pytest.mark.parametrize(("recipe", "settings", "said"), WRONG)
def test_a_wrong_setting_in_python(recipe, settings, said):
    caught = refused((SettingError, DataError), "", riata.Chunker(recipe, settings={"C": 0.1, **settings}).fit, TRAIN)
    assert said in str(caught)


@pytest.mark.parametrize(("recipe", "settings", "said"), WRONG)
def test_a_wrong_setting_on_the_command_line(run, tmp_path, recipe, settings, said):
    path = tmp_path / "train.txt"
    path.write_text("\n".join("\n".join(" ".join(row) for row in sentence) + "\n" for sentence in TRAIN))
    asked = [
        f"{name}={value if isinstance(value, (str, int, float)) else json.dumps(value)}"
        for name, value in settings.items()
    ]
    sets = [part for one in asked for part in ("--set", one)]
    code, out, err = run("train", "chunk", "--train", path, "--recipe", recipe, *sets, "--model", tmp_path / "m.riata")
    assert code == 2 and out == "" and "Traceback" not in err
    assert said.replace("'newton'", "newton").split("has the value")[0] in " ".join(err.split()).replace(
        "'newton'", "newton"
    )
    assert not (tmp_path / "m.riata").exists()


@pytest.mark.parametrize("cost", [np.nan, np.inf])
def test_costs_are_finite(cost):
    with pytest.raises(SettingError, match="expected a number from 0"):
        riata.Chunker("m3n", settings={"loss": "cost-matrix", "costs": np.array([[0, cost], [1, 0]])}).fit(TRAIN)


def test_a_cost_of_an_array_is_named_as_a_number():
    with pytest.raises(SettingError, match=r"has the cost -1.5 \(row 0, column 1\)"):
        riata.Chunker("m3n", settings={"loss": "cost-matrix", "costs": np.array([[0, -1.5], [1, 0]])}).fit(TRAIN)
