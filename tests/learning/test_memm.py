"""The maximum entropy Markov model against a twin of dictionaries, by differences and by enumeration; one classifier per label."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from chain_problems import noise
from checks import refused, stored
from likelihood_problems import Likelihood
from oracle.features import inputs as inputs_of
from oracle.memm import classifier, log_probability, step
from packed_weights import weights_of
from riata import Chunker, Tagger, _core
from riata.data.memory import as_corpus
from riata.errors import ModelFileError, SettingError, TemplateError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.attributes import builtin
from riata.features.templates import by_label_before, load, parse
from riata.inference.rules.legality import Legality
from riata.inference.structure import Decoder
from riata.models.model import Model
from riata.registry import get
from riata.structures.chain.model import ChainOutputs, constrained
from samples import CHUNKS, INPUTS, TAGS, WORDS, embedded, tried

TEMPLATES = ["word[0]\nedge", "word[-1]\nword[0]\nword[0] word[1]\nedge\nedge word[0]", "word[0]", "number(1)[0]\nedge"]
ENCODINGS = [None, "iob2", "bioes"]


class Case:
    """A corpus of noise, its likelihood, and a point whose numbers single precision holds."""

    def __init__(self, seed, template, encoding, *, kind=_core.ChainPotentials64, weighted=False, scale=1):
        self.problem = problem = noise(seed, template, encoding, sentences=4, longest=3)
        rng = np.random.default_rng(seed)
        self.labels, legal = problem.labels, problem.legality
        self.weights = rng.integers(0, 4, len(problem.sentences)) / 2 if weighted else np.empty(0)
        sizes, flags = (len(self.labels), len(problem.features.given)), (legal.start, legal.end, legal.follow)
        parts = (problem.features.index, problem.instances, *sizes, *flags, "seen", True)
        self.function = Likelihood(kind, *parts, weights=self.weights)
        self.at = scale * rng.integers(-64, 64, self.function.size) / 32
        self.model = self.model_at(self.at)
        self.inputs = [inputs_of(s, parse(template), builtin()) for s in problem.sentences]

    def model_at(self, at):
        problem, free = self.problem, Legality.free(len(self.problem.labels))
        model = Model(problem.features, self.function.model(at), ChainOutputs(problem.labels, free))
        return constrained(model, problem.legality)

    def allowed(self, sentence):
        legal, of = self.problem.legality, {label: i for i, label in enumerate(self.labels)}
        follow = legal.follow.reshape(len(self.labels), -1)

        def may(before, label, token):
            here = of[label]
            first = legal.start[here] if token == 0 else follow[of[before[-1]], here]
            return bool(first and (token < sentence - 1 or legal.end[here]))

        return may

    def log_probability(self, number, labelling):
        inputs = self.inputs[number]
        return log_probability(weights_of(self.model), inputs, labelling, self.labels, self.allowed(len(inputs)))

    def each(self):
        """Every sentence that has a word: its number, its corpus and its legal labellings."""
        for number, sentence in enumerate(self.problem.sentences):
            every = itertools.product(self.labels, repeat=len(sentence))
            if sentence:
                yield number, as_corpus([sentence]), [y for y in every if self.problem.is_legal(y)]

    def ids(self, labelling):
        return np.array([self.labels.index(label) for label in labelling], np.int32)

    def score(self, corpus, labelling):
        return float(self.model.scores_of(self.model.features.instances(corpus), self.ids(labelling))[0])


cases = st.builds(
    Case,
    st.integers(0, 10**6),
    st.sampled_from(TEMPLATES),
    st.sampled_from(ENCODINGS),
    weighted=st.booleans(),
    scale=st.sampled_from([1, 1, 64]),
)


@tried(40, cases)
def test_scores_are_log_probabilities_that_sum_to_one(case):
    for number, corpus, every in case.each():
        scores = [case.score(corpus, labelling) for labelling in every]
        assert np.exp(scores).sum() == pytest.approx(1)
        assert scores == pytest.approx([case.log_probability(number, labelling) for labelling in every], abs=1e-7)


@tried(40, cases)
def test_the_value_is_that_of_the_true_labels(case):
    times = case.weights if len(case.weights) else np.ones(len(case.inputs))
    expected = sum(
        weight * -case.log_probability(number, gold)
        for number, (gold, weight) in enumerate(zip(case.problem.gold, times, strict=True))
    )
    value, _ = case.function(case.at, 1)
    assert value == pytest.approx(expected, abs=1e-7)


@tried(
    25,
    st.builds(
        Case, st.integers(0, 10**6), st.sampled_from(TEMPLATES), st.sampled_from(ENCODINGS), weighted=st.booleans()
    ),
)
def test_the_gradient_is_that_of_differences(case):
    _, gradient = case.function(case.at, 2)
    h = 1e-5
    for i in range(case.function.size):
        ahead, back = case.at.copy(), case.at.copy()
        ahead[i] += h
        back[i] -= h
        assert gradient[i] == pytest.approx(
            (case.function(ahead, 1)[0] - case.function(back, 1)[0]) / (2 * h), abs=1e-6
        )


@tried(30, cases)
def test_every_search_sees_these_probabilities(case):
    for number, corpus, every in case.each():
        scores = {labelling: case.score(corpus, labelling) for labelling in every}
        best = sorted(scores.values(), reverse=True)
        instances = case.model.features.instances(corpus)
        for decoder in (Decoder(), Decoder("beam"), Decoder("best-first")):
            found = tuple(case.labels[i] for i in case.model.decode(instances, decoder))
            assert scores[found] == pytest.approx(best[0], abs=1e-9)
        listed = [score for _, score in case.model.nbest(corpus, 5)[0]]
        assert listed == pytest.approx(best[:5], abs=1e-9)
        greedy: list[str] = []
        for token in range(len(case.inputs[number])):
            given_before = step(
                weights_of(case.model),
                case.inputs[number],
                greedy,
                token,
                case.labels,
                case.allowed(len(case.inputs[number])),
            )
            greedy.append(max(given_before, key=given_before.get))
        found = [case.labels[i] for i in case.model.decode(instances, Decoder("greedy", 1))]
        assert scores[tuple(found)] == pytest.approx(scores[tuple(greedy)], abs=1e-9)


@tried(20, cases)
def test_confidences_are_shares_of_the_probability(case):
    for _, corpus, every in case.each():
        ids, sure = case.model.confidences(corpus, Decoder(), [1.0], chunks=False)
        for token, (label, share) in enumerate(zip(ids, sure[0, 0], strict=True)):
            same = [case.score(corpus, y) for y in every if y[token] == case.labels[label]]
            assert share == pytest.approx(np.exp(same).sum(), abs=1e-6)


@pytest.mark.parametrize("template", TEMPLATES)
def test_single_precision_is_near_and_threads_change_nothing(template):
    single, double = (Case(3, template, "iob2", kind=k) for k in (_core.ChainPotentials, _core.ChainPotentials64))
    value, gradient = single.function(single.at, 1)
    exact, slope = double.function(double.at, 1)
    assert value == pytest.approx(exact, rel=1e-5)
    assert gradient == pytest.approx(slope, abs=1e-5)
    again, other = single.function(single.at, 3)
    assert again == value
    assert (other == gradient).all()


def test_a_label_that_none_may_follow_is_never_chosen():
    """The label set has B-A, but nothing that may come after it."""
    legal = get("encoding", "bioes").allowed(("O", "B-A"))
    problem = noise(0, "word[0]\nedge", None, sentences=3)
    model = Model.blank(problem.features, ChainOutputs(("O", "B-A"), Legality(*legal)), single=False)
    index = problem.features.index
    weights = model.weights.from_rows(index, np.zeros((2, 2)), [np.tile([0.0, 5.0], (index.size(0), 1))])
    weights.local = True
    model = model.with_weights(weights)
    assert (model.decode(problem.instances) == 0).all()
    assert (model.decode(problem.instances, Decoder("beam")) == 0).all()


def test_files_keep_what_the_scores_are(tmp_path):
    data = embedded(("word", "tag", "chunk"))
    made = Chunker("memm", epochs=15, template="classic").fit(data[:150])
    assert made.model_.local
    assert made.model_.folded is None
    again = stored(made, tmp_path)
    assert again.model_.local
    for labels, score in itertools.chain(*again.predict_nbest(INPUTS, 4)):
        assert score < 0, labels
    assert (again.predict_ids(data[150:200]) == made.predict_ids(data[150:200])).all()
    assert made.score(data[150:]) > 0.8
    header, arrays = made.model_.to_parts()
    refused(ModelFileError, "normalisation", ChainOutputs.from_parts, {**header, "local": "yes"}, arrays, builtin())
    hashed = Chunker("memm", epochs=3, bits=12, template="classic").fit(CHUNKS)
    assert stored(hashed, tmp_path).model_.local


def test_what_needs_sums_of_weights_is_refused():
    made = Tagger("memm", epochs=3, warm_start=True).fit(WORDS, TAGS)
    refused(UnsupportedError, "normalised or truncated step by step", made.explain, WORDS[0])
    assert made.twin(queue="beam", beam=3).trace(WORDS[0]).output
    made.fit(WORDS, TAGS)  # it goes on with itself
    for recipe in ("perceptron", "crf", "laso-perceptron"):
        refused(SettingError, "'memm'", made.set_params(recipe=recipe).fit, WORDS, TAGS)


@pytest.mark.parametrize("recipe", ["crf", "memm"])
def test_what_means_nothing_to_a_likelihood_is_refused(recipe):
    for parameters in ({"seeds": 2}, {"class_weight": "balanced"}):
        refused(UnsupportedError, "means nothing to the recipe", Tagger(recipe, **parameters).fit, WORDS, TAGS)
    with pytest.raises(UnsupportedError, match="reads earlier labels"):
        Tagger(recipe, template=parse("word[0]\nlabel[-1]")).fit(WORDS, TAGS)


# --- `memm` with one classifier per label before ---------------------------------------------------------------------
OF_WORDS = ["word[0]", "word[0]\nedge", "word[-1]\nword[0] word[1]\nsuffix1[0]\nedge\nedge word[0]"]
PREVIOUS = {"classifiers": "previous"}


def rewritten(text):
    return "\n".join(map(str, by_label_before(parse(text))))


def test_every_line_is_read_after_each_label_and_at_first_tokens():
    expected = (
        "edge word[0]\noutside[-1] word[0]\nedge\nedge word[-1] tag[0]\noutside[-1] word[-1] tag[0]\nedge shape[0]"
    )
    made = by_label_before(parse("word[0]\nedge\nword[-1] tag[0]\nedge shape[0]"))
    assert set(made) == set(parse(expected))
    assert by_label_before(made) == made


cases_per_label = st.builds(
    Case,
    st.integers(0, 10**6),
    st.sampled_from([rewritten(template) for template in OF_WORDS]),
    st.sampled_from([None, "iob2", "bioes"]),
    weighted=st.booleans(),
)


@tried(40, cases_per_label)
def test_a_step_is_the_classifier_of_the_label_before(case):
    weights = weights_of(case.model)
    for number, corpus, every in case.each():
        for y in every:
            total = 0.0
            for t, label in enumerate(y):
                may = case.allowed(len(y))
                left = [other for other in case.labels if may(list(y[:t]), other, t)]
                total += classifier(weights, case.inputs[number][t], y[t - 1] if t else None, left)[label]
            assert case.score(corpus, y) == pytest.approx(total, abs=1e-6)


@tried(40, cases_per_label)
def test_its_value_is_that_of_the_twin_and_its_gradient_that_of_differences(case):
    times = case.weights if len(case.weights) else np.ones(len(case.inputs))
    expected = sum(
        w * -case.log_probability(n, gold) for n, (gold, w) in enumerate(zip(case.problem.gold, times, strict=True))
    )
    value, gradient = case.function(case.at, 1)
    assert value == pytest.approx(expected, abs=1e-7)
    for i in range(0, len(case.at), max(1, len(case.at) // 5)):
        there = np.zeros_like(case.at)
        there[i] = 1e-5
        slope = (case.function(case.at + there, 1)[0] - case.function(case.at - there, 1)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def tokens(seed=3, sentences=60):
    rng = np.random.default_rng(seed)
    x = [["".join(rng.choice(list("abc"), 1)) for _ in range(rng.integers(1, 6))] for _ in range(sentences)]
    return x, [
        [str(rng.choice(["X", "Y", "Z"], p=[0.2, 0.3, 0.5] if w == "a" else [0.5, 0.3, 0.2])) for w in s] for s in x
    ]


def test_it_learns_what_separate_classifiers_learn_from_the_tokens_after_their_label():
    x, y = tokens()
    options = {"c2": 0.3, "precision": "double", "gain_tolerance": 0, "gradient_tolerance": 1e-9}
    model = Tagger("memm", template=parse("word[0]\nedge"), settings={**options, **PREVIOUS}, calibrated=False).fit(
        x, y
    )
    apart = {}
    for before in ("X", "Y", "Z"):
        pairs = [
            (w, b)
            for s, labels in zip(x, y, strict=True)
            for w, a, b in zip(s[1:], labels, labels[1:], strict=False)
            if a == before
        ]
        words, labels = [[w] for w, _ in pairs], [[label] for _, label in pairs]
        apart[before] = Tagger("memm", template=parse("word[0]\nbias[0]"), settings=options, calibrated=False).fit(
            words, labels
        )
    start = Tagger("memm", template=parse("word[0]"), settings=options, calibrated=False).fit(
        [s[:1] for s in x], [labels[:1] for labels in y]
    )
    for first, second in itertools.product("abc", repeat=2):
        for one, other in itertools.product("XYZ", repeat=2):
            log_p = model.log_likelihood([[first, second]], [[one, other]])[0]
            expected = start.log_likelihood([[first]], [[one]])[0] + apart[one].log_likelihood([[second]], [[other]])[0]
            assert log_p == pytest.approx(expected, abs=1e-4)


def test_models_survive_their_files_and_give_probabilities():
    x, y = tokens()
    model = Tagger("memm", template="S2", settings={"c2": 0.1, **PREVIOUS}).fit(x, y)
    again = from_bytes(to_bytes(model))
    assert to_bytes(again) == to_bytes(model)
    assert again.predict(x) == model.predict(x)
    for sentence in x[:5]:
        every = list(itertools.product("XYZ", repeat=len(sentence)))
        log_p = [model.log_likelihood([sentence], [list(labels)])[0] for labels in every]
        assert math.fsum(map(math.exp, log_p)) == pytest.approx(1, abs=1e-5)
        assert model.predict([sentence])[0] == list(every[int(np.argmax(log_p))])
        assert all(0 <= p <= 1 + 1e-6 for p in model.predict_confidence([sentence])[0])


def test_on_real_chunks_it_keeps_to_legal_labels_and_takes_a_dictionary():
    train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
    plain = Chunker("memm", template="S1", settings={"c2": 0.1}).fit(train)
    model = Chunker("memm", template="S1", settings={"c2": 0.1, "dictionary": 20, **PREVIOUS}).fit(train)
    assert {str(template) for template in model.model_.features.templates} == {
        "edge",
        "edge word[0]",
        "outside[-1] word[0]",
    }
    assert abs(model.score(test) - plain.score(test)) < 0.2


def test_what_has_no_weights_per_label_before_is_refused(tmp_path):
    path = tmp_path / "my.template"
    path.write_text("word[0]\nnumber(1)[0]\n")
    with pytest.raises(TemplateError, match="numbers have one weight per label") as caught:
        Tagger("memm", template=path, settings=PREVIOUS).fit([[("a", "1")]], [["X"]])
    assert (caught.value.file, caught.value.line) == (str(path), 2)
    with pytest.raises(UnsupportedError, match="classifiers is 'previous', which changes templates"):
        Tagger("memm", settings=PREVIOUS).fit([[{"a": 1}, {"b": 1}]], [["X", "Y"]])


@pytest.mark.parametrize("values", [("one", "previous"), ("previous", "one")])
def test_training_goes_on_with_the_same_classifiers_only(values):
    x, y = tokens()
    one, other = ({"c2": 0.1, "classifiers": value} for value in values)
    model = Tagger("memm", template=None, settings=one, warm_start=True).fit(x, y)
    refused(SettingError, f"classifiers is '{values[1]}', but the model", model.set_params(settings=other).fit, x, y)


def test_named_sets_can_be_rewritten():
    assert len(by_label_before(load("S3"))) == 2 * (len(load("S3")) - 1) + 1
    assert {read.attribute for t in by_label_before(load("S3")) for read in t.reads} <= set(builtin())
