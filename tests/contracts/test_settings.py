"""Recipes differ, and settings do something, on every structure with every queue: what would not is refused, with the reason.

Nothing here says which recipe goes with which structure: what the library accepts must show, and what it refuses must say why.
"""

import random
import re
from functools import cache
from itertools import chain, combinations, product

import numpy as np
import pytest

from checks import refused
from riata import Chunker, DependencyParser, JointTagger, Tagger, registry
from riata.choosing.losses import RISK
from riata.choosing.options import checked
from riata.errors import RiataError, SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features import arcs as arc_templates
from riata.features import templates
from riata.inference.structure import OF_QUEUES, OF_STRUCTURES, OPERATIONS
from riata.structures.joint import templates as joint_templates
from riata.structures.segments import templates as segment_templates
from riata.structures.transitions import templates as transition_templates
from samples import OF_TASKS, for_each, for_rows

STRUCTURES = OF_TASKS
RECIPES = registry.names("recipe")
TYPES = "ABCDEFGH"  # more than a beam keeps, so that search is not exact
QUICK = {"c2": 0.01}  # instead of a choice on held-out sentences
TRAINS = [queue for queue in registry.names("queue") if not registry.get("queue", queue).decode_only]


def noise(seed, sentences=16):
    """Words whose tags and chunks are drawn at random: every learner makes errors on them."""
    draw = random.Random(seed)

    def sentence():
        rows, inside = [], None
        for _ in range(draw.randint(3, 7)):
            chunk = f"I-{inside}" if inside and draw.random() < 0.6 else draw.choice([f"B-{draw.choice(TYPES)}", "O"])
            inside = None if chunk == "O" else chunk[2:]
            rows.append((draw.choice("uvwxyz"), draw.choice("NVD"), chunk))
        return rows

    return [sentence() for _ in range(sentences)]


def noisy_trees(seed, sentences=16):
    """Words under heads that are drawn at random, with relations that are drawn at random."""
    draw = random.Random(seed)

    def sentence():
        order = draw.sample(range(1, 7), draw.randint(3, 6))
        numbers = {token: i for i, token in enumerate(sorted(order), start=1)}
        heads = {token: draw.choice(order[:k]) if k else 0 for k, token in enumerate(order)}
        return [
            (draw.choice("uvwxyz"), str(numbers.get(heads[token], 0)), draw.choice("abcd")) for token in sorted(order)
        ]

    return [sentence() for _ in range(sentences)]


TRAIN, OTHER = noise(1), noise(2)
TRAIN_TREES, OTHER_TREES = noisy_trees(1), noisy_trees(2)
EASY_TREES = [[("u", "2", "a"), ("v", "0", "b"), ("w", "2", "c")]] * 3
EASY = [[(word, tag, chunk) for word, tag, chunk in zip("uvwx", "NVDN", ("B-A", "I-A", "O", "B-B"), strict=True)]] * 3
NOISY, LEARNABLE, CONTINUED = (
    "errors are made",
    "no errors are made",
    "training goes on with words that have other tags",
)
KINDS = {(1, False): Chunker, (2, False): JointTagger, (2, True): DependencyParser}
ARCS = arc_templates.parse("arc head.x0[0] child.x0[0]\nrelation child.x0[0]")
TEMPLATES = {  # too little to tell the labels of TRAIN apart
    "chain": templates.parse("x0[0]\nedge"),
    "kernel-chain": templates.parse("x0[0]\nx1[0]\nedge"),
    "segments": segment_templates.parse("inside x0[0]\nlast x1[0]\nlabel[-1]"),
    "joint": joint_templates.parse("tag x0[0]\nchunk x0[0]\nchunk tag[0]\nchunk chunk[-1]"),
    "factorial": joint_templates.parse("tag x0[0]\nchunk x0[0]\nchunk tag[0]\nchunk chunk[-1]"),
    "projective": ARCS,
    "tree": ARCS,
    "transitions": transition_templates.parse("x0[s0] x0[b0]\nx0[s1] x0[s0]"),
}


def data_of(estimator):
    """Data to learn from, data with other words, and data on which no errors are made."""
    return (TRAIN_TREES, OTHER_TREES, EASY_TREES) if estimator.trees else (TRAIN, OTHER, EASY)


def made(recipe, structure, queue=None, **settings):
    declared = {setting.name for setting in registry.get("recipe", recipe).settings}
    quick = {name: value for name, value in QUICK.items() if name in declared}
    if "C" in declared and registry.get("recipe", recipe).whole:
        quick["C"] = 0.05
    kind = KINDS[registry.get("structure", structure).gives]
    template = None if registry.get("recipe", recipe).templates else TEMPLATES[structure]
    if settings.get("loss") == "cost-matrix" and "costs of labels" in registry.get("structure", structure).offers:
        quick["costs"] = '{"O": {"B-A": 2.0}}'
    epochs = 15 if registry.get("recipe", recipe).whole else 2
    return kind(
        recipe, structure=structure, queue=queue, epochs=epochs, template=template, settings={**quick, **settings}
    )


def weights_of(estimator):
    arrays = estimator.model_.to_parts()[1]
    return {name: np.asarray(values).tobytes() for name, values in arrays.items()}


def seen(estimator, how=NOISY):
    """All that a user could see of a training: weights, messages, outputs and diagnoses, or the text of an error."""
    told = []
    train, other, easy = data_of(estimator)
    try:
        data = easy if how == LEARNABLE else train
        if how == CONTINUED:
            rows = {row[-estimator.outputs :] for sentence in train + other for row in sentence}
            single = estimator.trees or estimator.outputs == 1
            classes = sorted({row[-1] for row in rows}) if single else sorted(rows)
            estimator.partial_fit(train[:6], classes=classes).partial_fit(other[:6])
        else:
            estimator.fit(data, listener=lambda event: told.append(getattr(event, "text", None)))
        diagnosed = repr(estimator.diagnose(data)) if getattr(estimator, "_run", None) is not None else ""
        weights = type((estimator._exact or estimator.model_).weights), weights_of(estimator)
        return weights, told, estimator.predict(other), diagnosed
    except RiataError as error:
        return str(error)


@cache
def trained(recipe, structure):
    """With the queue that the recipe prefers; the error where it is refused."""
    estimator = made(recipe, structure)
    error = refusal_of(estimator)
    if error is None:
        seen(estimator)
    return error or estimator


@pytest.mark.parametrize("structure", STRUCTURES)
def test_two_recipes_learn_the_same_only_if_one_is_declared_an_alias_of_the_other(structure):
    able = {name: trained(name, structure) for name in RECIPES if not isinstance(trained(name, structure), RiataError)}
    assert len(able) >= 3
    # Otherwise weights may be equal by chance.
    assert all(estimator.score(data_of(estimator)[0]) < 1 for estimator in able.values())
    for one, other in combinations(able, 2):
        names = {registry.get("recipe", name).alias_of or name for name in (one, other)}
        same = weights_of(able[one]) == weights_of(able[other])
        assert same == (len(names) == 1), f"{one} and {other} on {structure}"


def test_an_alias_is_of_a_recipe_that_is_none_itself():
    aliases = [piece.alias_of for piece in registry.all_of("recipe").values() if piece.alias_of]
    assert aliases
    assert all(registry.get("recipe", name).alias_of is None for name in aliases)


@for_each(structure=STRUCTURES, recipe=RECIPES)
def test_a_refused_recipe_names_the_operation_that_is_missing_and_a_remedy(recipe, structure):
    error = trained(recipe, structure)
    if isinstance(error, RiataError):
        assert isinstance(error, UnsupportedError)
        assert recipe in error.message and structure in error.message and error.remedy
        missing = set(OF_STRUCTURES) - registry.get("structure", structure).offers
        assert any(f"{operation} ({OPERATIONS[operation]})" in error.message for operation in missing)


def values(setting):
    """Some that a setting takes and that are not its default."""
    if setting.name == "costs":
        found = ('{"O": {"B-A": 3.0}}',)
    elif setting.choices:
        found = setting.choices
    elif isinstance(setting.default, bool):
        found = (not setting.default,)
    elif isinstance(setting.default, str) and not setting.words:
        found = ("O",)
    elif isinstance(setting.default, int):
        found = (1, 2, 0, 3)
    else:
        found = (1e-9, 0.5, 3.0)
    low, high = setting.low, setting.high
    found = [
        v for v in found if isinstance(v, (str, bool)) or ((low is None or v >= low) and (high is None or v <= high))
    ]
    return [value for value in found if value != setting.default]


def accepted(recipe, structure):
    """The queues with which a recipe learns on a structure."""
    return [queue for queue in TRAINS if refusal_of(made(recipe, structure, queue)) is None]


def refusal_of(estimator):
    """Why it cannot be trained, whatever the data; None where it can."""
    try:
        checked(estimator)
    except RiataError as error:
        return error


def check_refusal(error, setting, structure, queue, others):
    """It says which setting, what is missing (an operation, or another setting's value), and what to do."""
    assert repr(setting.name) in error.message and f"eave out {setting.name}" in error.remedy
    offers = registry.get("structure", structure).offers | registry.get("queue", queue).offers
    operations = [name for name in OPERATIONS if f"{name} ({OPERATIONS[name]})" in error.message]
    if operations:
        kind = "queue" if operations[0] in OF_QUEUES else "structure"
        assert operations[0] not in offers
        assert {"queue": queue, "structure": structure}[kind] in error.message
        for advised in re.findall(r"'([\w-]+)'", error.remedy):  # tests/choosing follows the advice
            assert operations[0] in registry.get(kind, advised).offers
    else:
        assert any(f"{other} is " in error.message and f"Set {other}=" in error.remedy for other in others)


# Settings under which the data have what an operation is about: the first ones that are accepted and show something will do.
SHOWS = {
    ("several right states", "segments"): ({"longest": 2},),
    ("levels", "joint"): ({}, {"alpha": 0.5}),  # a larger margin of ALMA
    ("several right states", "transitions"): ({}, {"system": "arc-standard"}),  # arcs in any order: most right states
    ("levels", "transitions"): ({}, {"C": 0.1}),  # smaller steps of ALMA
    ("states side by side", "segments"): ({}, {"update": "mean"}),  # most updates are against the best state alone
}

# Settings beside which another one shows something in few epochs.
BESIDE = {
    "gain_steps": {"gain_tolerance": 0.05},
    "score_steps": {"score_tolerance": 10.0},
    "score_tolerance": {"score_steps": 2},
}


def changes(recipe, structure, queue, beside, setting, able):
    """Whether one of these values does, on some data."""
    for how in (NOISY, LEARNABLE) if registry.get("recipe", recipe).whole else (NOISY, LEARNABLE, CONTINUED):
        plain = observed(recipe, structure, queue, tuple(beside.items()), how)
        for value in able:
            if seen(made(recipe, structure, queue, **beside, **{setting.name: value}), how) != plain:
                return True
    return False


@cache
def observed(recipe, structure, queue, settings, how):
    found = seen(made(recipe, structure, queue, **dict(settings)), how)
    assert not isinstance(found, str), found
    return found


@for_each(structure=STRUCTURES, recipe=RECIPES)
def test_every_setting_changes_something_or_is_refused(recipe, structure):
    piece = registry.get("structure", structure)
    named, learns = registry.get("recipe", recipe), registry.get("recipe", recipe).on(piece.offers)
    declared = tuple({s.name: s for s in (*named.settings, *learns.settings, *piece.settings, *RISK)}.values())
    names, known = {s.name for s in declared}, {s.name for s in (*learns.settings, *piece.settings, *RISK)}
    for queue in accepted(recipe, structure):
        for setting in declared:
            read = {other: able[0] for other, able in setting.only.items() if other in known}
            read |= BESIDE.get(setting.name, {})
            needed = [(operation, structure) for operation in chain.from_iterable(setting.needs.values())]
            tried = [
                read | dict(chain.from_iterable(one.items() for one in chosen))
                for chosen in product(*(SHOWS.get(key, ({},)) for key in needed))
            ]
            able = []
            if read and refusal_of(made(recipe, structure, queue, **read)) is not None:
                continue  # what it is read beside is refused by itself
            for value in values(setting):
                error = refusal_of(made(recipe, structure, queue, **tried[0], **{setting.name: value}))
                if error is None:
                    able.append(value)
                else:
                    check_refusal(error, setting, structure, queue, names)
            shown = f"{setting.name} of {recipe} on {structure} by {queue}"
            assert not able or any(changes(recipe, structure, queue, beside, setting, able) for beside in tried), shown


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_setting_that_is_read_beside_another_alone_is_refused_without_it(recipe):
    piece = registry.get("recipe", recipe)
    for setting in piece.settings:
        for other, able in setting.only.items():
            unable = [value for s in piece.settings if s.name == other for value in s.choices if value not in able]
            for value in unable:
                error = refusal_of(made(recipe, piece.structure, **{other: value, setting.name: values(setting)[0]}))
                assert isinstance(error, SettingError)
                assert error.message.startswith(f"setting {setting.name!r} has the value")


def test_a_default_that_is_given_is_never_refused():
    for recipe in RECIPES:
        piece = registry.get("recipe", recipe)
        for queue in accepted(recipe, piece.structure):
            defaults = {setting.name: setting.default for setting in piece.settings}
            assert refusal_of(made(recipe, piece.structure, queue, **defaults)) is None


def test_every_operation_that_a_recipe_or_a_setting_needs_is_known_and_offered():
    pieces = [*registry.all_of("recipe").values(), *registry.all_of("structure").values()]
    needed = set().union(*(getattr(piece, "needs", ()) for piece in pieces))
    settings = [*RISK, *(setting for piece in pieces for setting in piece.settings)]
    needed |= {operation for setting in settings for operations in setting.needs.values() for operation in operations}
    offered = set().union(
        *(piece.offers for kind in ("structure", "queue") for piece in registry.all_of(kind).values())
    )
    assert needed <= offered == set(OPERATIONS)


def test_settings_that_mean_nothing_beside_parameters_are_refused():
    refused(UnsupportedError, "every sequence of them is legal", checked, Tagger("crf", settings={"constrain": True}))
    refused(UnsupportedError, "seeds is 2", checked, Chunker("early", seeds=2, settings={"record": True}))


@for_rows(
    "recipe, queue, settings",
    ("crf", None, {"optimiser": "sgd", "memory": 9}),
    ("memm", None, {}),
    ("laso-perceptron", "exact", {"when": "early", "alpha": 0.5}),
)
def test_a_stored_model_whose_training_would_be_refused_today_is_read_and_predicts(recipe, queue, settings):
    model = made("laso-perceptron", "segments", "exact")
    seen(model)
    model.set_params(recipe=recipe, queue=queue, settings=settings)
    assert from_bytes(to_bytes(model)).predict(OTHER) == model.predict(OTHER)
    refused((UnsupportedError, SettingError), "", model.fit, TRAIN)
