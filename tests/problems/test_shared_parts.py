"""Actions with parts: observed features are joined with the parts too, as if they were written out by hand."""

import pytest

import riata
from python_problems import with_weights
from riata.errors import DataError, SearchError

KINDS, SIZES = ("NP", "VP", "O"), (1, 2)
X = ["the dog sees a cat", "a dog sees the cat", "dogs see cats", "the cat sleeps", "cats sleep"]
NOUNS = {"dog", "cat", "dogs", "cats"}


def truth(x):
    found, words = [], x.split()
    at = 0
    while at < len(words):
        two = words[at] in ("the", "a")
        found.append(("NP", 2) if two else ("NP", 1) if words[at] in NOUNS else ("VP", 1))
        at += found[-1][1]
    return found


Y = [truth(x) for x in X]


class Pieces(riata.Problem):
    """An action is a kind and a length."""

    def initial(self, x):
        return ()

    def actions(self, x, s):
        left = len(x.split()) - self.covered(x, s)
        return [(kind, size) for kind in KINDS for size in SIZES if size <= left]

    def apply(self, x, s, a):
        return (*s, a)

    def covered(self, x, s):
        return sum(size for _, size in s)

    def is_goal(self, x, s):
        return self.covered(x, s) == len(x.split())

    def said(self, x, s):
        return [f"w={x.split()[self.covered(x, s)]}", f"p={s[-1][0] if s else None}", ("half", 0.5)]

    def observe(self, x, s):
        return self.said(x, s)

    def regret(self, x, s, y):
        """How many of the true pieces cannot be among those of the output any more."""
        at = [sum(size for _, size in s[:i]) for i in range(len(s) + 1)]
        starts = [sum(size for _, size in y[:i]) for i in range(len(y))]
        found = set(zip(at, s, strict=False))
        return sum(start < at[-1] and (start, piece) not in found for start, piece in zip(starts, y, strict=True))


class Parted(Pieces):
    def parts(self, a):
        return a


class ByHand(Pieces):
    """The same without parts."""

    observe = riata.Problem.observe

    def features(self, x, s, a):
        said = [item if isinstance(item, tuple) else (item, 1.0) for item in self.said(x, s)]
        return [(f"{name}|{part!r}", value) for name, value in said for part in (a, *a)]


@pytest.mark.parametrize("queue", ["beam", "greedy", "best-first"])
@pytest.mark.parametrize("recipe", ["laso-perceptron", "early", "max-violation", "standard"])
def test_weights_and_outputs_are_those_of_features_written_by_hand(recipe, queue):
    parted, by_hand = (riata.Predictor(p, recipe, queue=queue, epochs=4).fit(X, Y) for p in (Parted(), ByHand()))
    weights = {f"{name}|{of!r}": weight for (name, of), weight in parted.weights().items()}
    assert weights == pytest.approx(by_hand.weights())
    assert weights
    unseen = [*X, "a cat", "the dogs see the dog"]
    assert parted.predict(unseen) == by_hand.predict(unseen)


def test_without_parts_nothing_is_shared():
    assert {len(of) for _, of in riata.Predictor(Pieces(), epochs=2).fit(X, Y).weights()} == {2}


def test_a_part_speaks_for_actions_that_training_never_saw():
    class Longer(Parted):
        def actions(self, x, s):
            return [("NP", 9), ("VP", 9)]

        def is_goal(self, x, s):
            return len(s) == 1

    weights = {("w=dog", "VP"): 1.0, ("w=dog", ("NP", 1)): 5.0}
    assert with_weights(Longer(), weights).predict(["dog"]) == [[("VP", 9)]]


def test_a_part_that_is_the_action_itself_or_comes_twice_counts_once():
    class Twice(Pieces):
        def actions(self, x, s):
            return ["NP", "VP"]

        def is_goal(self, x, s):
            return len(s) == 1

        covered = riata.Problem.covered

        def said(self, x, s):
            return [f"w={x}"]

        def regret(self, x, s, y):
            return float(s not in ((), (y,)))

        def parts(self, a):
            return [a, a, a[1:], a[1:]]

    model = riata.Predictor(Twice(), "laso-perceptron", beam=1, epochs=1, settings={"average": False}).fit(
        ["dog"], ["VP"]
    )
    assert model.weights() == {("w=dog", "VP"): 1.0, ("w=dog", "NP"): -1.0}  # both end in P


def test_scores_of_traces_are_sums_of_their_features():
    model = riata.Predictor(Parted(), epochs=4).fit(X, Y)
    trace = model.trace(X[0], features=True)
    for number, node in enumerate(trace.nodes[1:], start=1):
        pushes = sum(feature.push for feature in node.features)
        assert trace.nodes[number].score == pytest.approx(trace.nodes[node.parent].score + pushes)
    labels = {feature.label for node in trace.nodes[1:] for feature in node.features}
    assert {"NP", 1, repr(("NP", 2))} <= labels


def test_a_model_file_holds_the_weights_of_parts(tmp_path):
    model = riata.Predictor(Parted(), epochs=4).fit(X, Y)
    model.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata", using=[Parted()])
    assert loaded.weights() == model.weights()
    unseen = [*X, "a cat", "the new dog", "cats see the cats"]
    assert loaded.predict(unseen) == model.predict(unseen)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("NP", "parts returned 'NP'; expected a list of parts"),
        (None, "parts returned None; expected a list of parts"),
        ([[]], r"the part \[\] cannot be hashed"),
    ],
)
def test_what_are_no_parts_is_refused(given, message):
    problem = Parted()
    problem.parts = lambda a: given
    with pytest.raises(DataError, match=f"example 0: {message}"):
        riata.Predictor(problem).fit(X[:1], Y[:1])
    with pytest.raises(SearchError, match=message):
        riata.check_problem(problem, ["dog"])


def test_a_problem_with_parts_passes_the_check():
    assert riata.check_problem(Parted(), ["the dog"], [[("NP", 2)]]).goals
