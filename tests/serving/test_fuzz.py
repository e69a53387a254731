"""Requests made up from the description of the API: whatever they are, no answer is a mistake of the server."""

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from samples import draws

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install schemathesis")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
NAMES = ["model", "text", "tokens", "rows", "features", "nbest", "confidence", "min_confidence", "trace", "beam"]
FIELDS = st.dictionaries(st.sampled_from([*NAMES, "decode", "constraints"]) | st.text(max_size=4), JSON, max_size=5)
MODELS = st.sampled_from(["tags", "chunks", "words", "names", "both", "trees", "features"])


def trying(most):
    """Settings that try so many requests."""
    return settings(
        max_examples=draws(most),
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def check(status, content):
    assert status < 500, content
    if status != 200:
        assert json.loads(content)["error"]


@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
@pytest.mark.slow
def test_bodies_made_from_the_schema_have_answers(talk, mode):
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{talk.port}/openapi.json")
    mode = schemathesis.GenerationMode[mode]
    count = 0

    @trying(5000)
    @given(case=schema["/predict"]["POST"].as_strategy(generation_mode=mode), model=MODELS)
    def ask(case, model):
        nonlocal count
        count += 1
        if isinstance(case.body, dict) and count % 2:  # otherwise nearly all models are unknown
            case.body["model"] = model
        answer = case.call(base_url=f"http://127.0.0.1:{talk.port}", timeout=60)
        check(answer.status_code, answer.content)

    ask()
    assert count >= draws(5000) // 2


def test_any_json_has_an_answer(talk):
    @trying(300)
    @given(body=JSON | FIELDS, model=MODELS)
    def ask(body, model):
        content = {**body, "model": model} if isinstance(body, dict) and len(body) % 2 else body
        status, _, answer = talk.ask("POST", "/predict", json.dumps(content).encode())
        check(status, answer)

    ask()


def test_any_bytes_have_an_answer(talk):
    @trying(200)
    @given(body=st.binary(max_size=200))
    def ask(body):
        status, _, answer = talk.ask("POST", "/predict", body)
        check(status, answer)

    ask()


def test_plausible_requests_have_answers(talk):
    """Right types, odd values: these reach the models."""
    word = st.text(min_size=1, max_size=6)

    @trying(300)
    @given(
        sentences=st.lists(st.lists(word, min_size=1, max_size=5), min_size=1, max_size=3),
        model=MODELS,
        more=st.fixed_dictionaries(
            {},
            optional={
                "nbest": st.integers(1, 5),
                "beam": st.integers(1, 5),
                "confidence": st.booleans(),
                "min_confidence": st.floats(0, 1),
                "trace": st.booleans(),
                "decode": st.sampled_from(["best", "marginals", "spans"]),
                "constraints": st.booleans()
                | st.floats(0, 2)
                | st.sampled_from(["soft", ['at_most(1, "NP")'], ["same()"]]),
            },
        ),
    )
    def ask(sentences, model, more):
        given = {"tokens": sentences}
        if model in ("chunks", "trees"):
            given = {"rows": [[[w, w] for w in s] for s in sentences]}
        if model == "features":
            given = {"features": [[{"word": w} for w in s] for s in sentences]}
        status, _, answer = talk.ask("POST", "/predict", {**given, "model": model, **more})
        check(status, answer)

    ask()
