"""Regularised Winnow: its weights by a slow twin, its dual by the gap to the primal, its truncated search by enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

from chain_problems import noise
from checks import refused, stored
from oracle.perceptron import phi
from oracle.winnow import Classifier
from packed_weights import weights_of
from riata import Chunker, EntityRecognizer, Tagger, _core
from riata.data.memory import as_corpus
from riata.errors import ModelFileError, SettingError, UnsupportedError
from riata.features.attributes import builtin
from riata.inference.structure import Decoder
from riata.learning.recipes.winnow import step_confidences
from riata.models.model import Model
from riata.structures.chain.model import ChainOutputs
from samples import TAGS, WORDS, embedded, for_each, tried

TEMPLATES = [
    "word[0]\nedge",
    "word[-1]\nword[0]\nedge\nedge word[0]",
    "number(1)[0]\nedge",
    "word[0]\nlabel[-2] label[-1]\nlabel[-2] word[0]\nlabel[-1]",
]
ENCODINGS = [None, "iob2", "bioes"]
CHOSEN = {"mu": 0.1, "c": 0.7, "eta": 0.2}


class Twin:
    """One classifier per label on the tokens of a problem, in their order."""

    def __init__(self, problem, weights, **chosen):
        self.labels, rows, gold = problem.labels, [], []
        for inputs, labels in problem.examples():
            for token in range(len(labels)):
                found = phi(inputs, [*labels[:token], None], token)
                rows.append(
                    {(feature, of[:-1] if isinstance(of, tuple) else ()): v for (feature, of), v in found.items()}
                )
                gold.append(labels[token])
        self.columns = sorted({key for row in rows for key in row}, key=repr)
        x = np.array([[row.get(key, 0.0) for key in self.columns] for row in rows])
        self.each = [
            Classifier(x, np.array([1.0 if g == label else -1.0 for g in gold]), weights, **chosen)
            for label in self.labels
        ]

    def epoch(self, order):
        for one, i in itertools.product(self.each, order):
            one.visit(i)

    def by_name(self):
        found = {}
        for label, one in zip(self.labels, self.each, strict=True):
            for (feature, before), weight in zip(self.columns, one.w, strict=True):
                found[feature, (*before, label) if before else label] = weight
        return found

    def objective(self):
        """Minus the dual, less its value before the first step."""
        return sum(-one.dual() - 2 * one.mu * len(one.plus) for one in self.each)


def native(problem, sentences=(), classes=(), *, single=False, **chosen):
    kind = _core.Winnow if single else _core.Winnow64
    weights = (np.array(sentences, np.float64), np.array(classes, np.float64))
    return kind(problem.blank(single=single), problem.index, problem.instances, *weights, **chosen)


def order_of(problem):
    return np.arange(len(problem.sentences), dtype=np.int64)


@for_each(template=TEMPLATES, encoding=ENCODINGS)
@tried(12, seed=st.integers(0, 10**6), weighted=st.booleans())
def test_weights_are_those_of_the_twin(template, encoding, seed, weighted):
    problem = noise(seed, template, encoding, sentences=5, longest=4)
    rng = np.random.default_rng(seed)
    lengths = [len(s) for s in problem.sentences]
    of_sentences = rng.integers(0, 4, len(lengths)) / 2 if weighted else np.ones(len(lengths))
    of_classes = rng.integers(0, 4, len(problem.labels)) / 2 if weighted else np.ones(len(problem.labels))
    ids = problem.instances.labels()
    twin = Twin(problem, np.repeat(of_sentences, lengths) * of_classes[ids], **CHOSEN)
    learner = native(problem, *((of_sentences, of_classes) if weighted else ()), **CHOSEN)
    for _ in range(3):
        found = learner.run(order_of(problem), None)
        twin.epoch(range(sum(lengths)))
        assert found["objective"] == pytest.approx(twin.objective(), abs=1e-9)
    expected = {key: weight for key, weight in twin.by_name().items() if abs(weight) > 1e-12}
    names = {key: weight for key, weight in problem.by_name(learner.model()).items() if abs(weight) > 1e-12}
    assert names == pytest.approx(expected, abs=1e-6)  # packed weights are of single precision


@pytest.mark.parametrize("eta", [0.05, 1.0, 1000.0])
def test_the_dual_rises_to_the_primal(eta):
    problem = noise(3, TEMPLATES[1], "iob2", sentences=12, longest=5)
    tokens = sum(map(len, problem.sentences))
    twin = Twin(problem, np.ones(tokens), mu=0.1, c=0.5, eta=eta)
    learner = native(problem, mu=0.1, c=0.5, eta=eta)
    values = []
    for _ in range(200):
        values.append(learner.run(order_of(problem), None)["objective"])
        twin.epoch(range(tokens))
    assert all(after <= before + 1e-9 for before, after in itertools.pairwise(values))
    assert values[-1] == pytest.approx(twin.objective(), abs=1e-8)
    for one in twin.each:
        assert one.primal() - one.dual() == pytest.approx(0, abs=1e-4)
        assert one.primal() >= one.dual() - 1e-9


def test_steps_out_of_all_proportion_stay_finite():
    problem = noise(1, "number(1)[0]\nword[0]\nedge", None, sentences=6)
    for single in (True, False):
        learner = native(problem, single=single, mu=1e3, c=1e3, eta=1e3)
        for _ in range(5):
            learner.run(order_of(problem), None)
        assert np.isfinite(list(problem.by_name(learner.model()).values())).all()


def trained(problem):
    """A model, of which many scores are beyond -1 and 1."""
    learner = native(problem, mu=0.5, c=20.0, eta=1.0)
    for _ in range(4):
        learner.run(order_of(problem), None)
    return Model(problem.features, learner.model(), ChainOutputs(problem.labels, problem.legality))


def step_by_step(problem, model, number, labelling):
    """The score of a labelling: what the weights of each step add up to, between -1 and 1."""
    weights, inputs = problem.by_name(model.weights), problem.inputs()[number]
    steps = [
        sum(weights.get(key, 0.0) * value for key, value in phi(inputs, labelling, token).items())
        for token in range(len(inputs))
    ]
    return sum(np.clip(steps, -1, 1)), max(map(abs, steps))


@for_each(template=TEMPLATES, encoding=ENCODINGS)
def test_search_adds_up_truncated_steps(template, encoding):
    problem = noise(5, template, encoding, sentences=6, longest=4)
    model, labels = trained(problem), problem.labels
    furthest = 0.0
    for number, sentence in enumerate(problem.sentences):
        if not sentence:
            continue
        corpus = as_corpus([sentence])
        instances = problem.features.instances(corpus)
        scores = {}
        for y in filter(problem.is_legal, itertools.product(labels, repeat=len(sentence))):
            scores[y], far = step_by_step(problem, model, number, y)
            furthest = max(furthest, far)
            ids = np.array([labels.index(label) for label in y], np.int32)
            assert model.scores_of(instances, ids)[0] == pytest.approx(scores[y], abs=1e-5)
        best = max(scores.values())
        for decoder in (Decoder(), Decoder("beam", 2**40)):
            found = tuple(labels[i] for i in model.decode(instances, decoder))
            assert scores[found] == pytest.approx(best, abs=1e-5)
        listed = [score for _, score in model.nbest(corpus, 5)[0]]
        assert listed == pytest.approx(sorted(scores.values(), reverse=True)[:5], abs=1e-5)
        rows, log_z = model.probabilities(corpus, 1.0)
        assert log_z[0] == pytest.approx(np.log(sum(map(np.exp, scores.values()))), abs=1e-4)
        for token, j in itertools.product(range(len(sentence)), range(len(labels))):
            mass = sum(np.exp(score - log_z[0]) for y, score in scores.items() if y[token] == labels[j])
            assert rows[token, j] == pytest.approx(mass, abs=1e-4)
    assert furthest > 1.5


def test_confidences_of_steps_are_what_the_weights_say():
    problem = noise(7, TEMPLATES[3], "iob2", sentences=5, longest=4)
    model = trained(problem)
    ids = problem.instances.labels()
    found = step_confidences(model, as_corpus(problem.sentences), ids)
    weights, at = problem.by_name(model.weights), 0
    for inputs, gold in problem.examples():
        for token, (j, label) in itertools.product(range(len(gold)), enumerate(problem.labels)):
            features = phi(inputs, [*gold[:token], label], token)
            score = sum(weights.get(key, 0.0) * value for key, value in features.items())
            assert found[at + token, j] == pytest.approx((np.clip(score, -1, 1) + 1) / 2, abs=1e-5)
        at += len(gold)


@pytest.mark.parametrize("template", ["classic", "zdj02"])
def test_files_keep_that_scores_are_truncated(tmp_path, template):
    data = embedded()
    made = Chunker("winnow", template=template).fit(data[:200])
    assert made.score(data[200:]) > 0.85
    assert made.model_.weights.truncated and made.model_.folded is None
    again = stored(made, tmp_path)
    assert again.predict(data[200:202]) == made.predict(data[200:202])  # of few tokens, without unpacking
    assert again.model_.weights.truncated
    assert (again.predict_ids(data[200:]) == made.predict_ids(data[200:])).all()
    assert all(abs(score) <= len(labels) for labels, score in again.predict_nbest(data[200:201], 3)[0])
    header, arrays = made.model_.to_parts()
    refused(ModelFileError, "normalisation", ChainOutputs.from_parts, {**header, "local": "yes"}, arrays, builtin())


def test_a_seed_gives_one_model_whatever_the_threads():
    data = embedded()[:30]
    one, two, other = (
        Chunker("winnow", epochs=3, template="classic", threads=threads, seed=seed).fit(data).model_
        for threads, seed in ((1, 0), (2, 0), (1, 1))
    )
    assert weights_of(one) == weights_of(two)
    assert weights_of(one) != weights_of(other)


def test_weights_of_sentences_and_labels_multiply_c():
    data = embedded()[:15]
    heavy = Chunker("winnow", epochs=300, template="classic", settings={"precision": "double"}).fit(
        data, sample_weight=[2.0] * 15
    )
    twice = Chunker(
        "winnow", epochs=300, template="classic", settings={"precision": "double", "c": 2.0, "eta": 0.2}
    ).fit(data)
    assert weights_of(heavy.model_) == pytest.approx(weights_of(twice.model_), abs=1e-6)
    plain = Chunker("winnow", epochs=5, template="classic").fit(data)
    weighed = Chunker("winnow", epochs=5, template="classic", class_weight="balanced").fit(data)
    assert weights_of(plain.model_) != weights_of(weighed.model_)


def test_other_tasks_and_what_is_refused():
    tagger = Tagger("winnow").fit(WORDS, TAGS)
    assert tagger.score(WORDS, TAGS) == 1
    entities = embedded(("word", "tag", "entity"))
    assert EntityRecognizer("winnow").fit(entities[:60]).score(entities[:60]) > 0.9
    refused(UnsupportedError, "truncated step by step", tagger.explain, WORDS[0])
    assert tagger.twin(queue="beam", beam=3).trace(WORDS[0]).output
    for parameters in ({"seeds": 2}, {"shards": 2}):
        refused(UnsupportedError, "means nothing to the recipe", Tagger("winnow", **parameters).fit, WORDS, TAGS)
    for recipe in ("winnow", "perceptron", "memm"):
        refused(SettingError, "'winnow'", tagger.set_params(recipe=recipe, warm_start=True).fit, WORDS, TAGS)
    other = Tagger("perceptron", warm_start=True).fit(WORDS, TAGS)
    refused(UnsupportedError, "cannot go on from a model", other.set_params(recipe="winnow").fit, WORDS, TAGS)
    refused(UnsupportedError, "local sums", Chunker("winnow", structure="segments").fit, embedded()[:5])
    refused(UnsupportedError, "a part of the data", Tagger("winnow").partial_fit, WORDS, TAGS)


def test_epochs_tell_what_is_minimised():
    told = []
    Tagger("winnow", epochs=6).fit(WORDS, TAGS, listener=told.append)
    values = [event.objective for event in told if hasattr(event, "objective")]
    assert len(values) == 6 and values == sorted(values, reverse=True)
