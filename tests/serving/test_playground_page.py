"""docs/serving.md: its requests have the answers that it prints, and its table of fields is complete."""

import json
import re
from pathlib import Path

import pytest

import riata
from serving_help import served

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
CURL = re.compile(
    r"```bash\ncurl -s localhost:8000/predict .*? -d '(?P<body>.*?)'\n```\n(?:\n```json\n(?P<answer>.*?)```)?",
    re.DOTALL,
)


@pytest.fixture(scope="module")
def chunker(tmp_path_factory):
    """The model that the page trains."""
    folder = tmp_path_factory.mktemp("page")
    data = riata.load("embedded", "train", ("word", "tag", "chunk")).select([0, 2])
    riata.Chunker(epochs=10).fit(data).save(folder / "chunker.riata")
    with served({"chunker": folder / "chunker.riata"}, watch=False) as talk:
        yield talk


@pytest.mark.filterwarnings("ignore::riata.RiataWarning")
def test_requests_have_the_answers_that_the_page_prints(chunker):
    found = list(CURL.finditer(PAGE))
    assert len(found) >= 3
    for match in found:
        status, answer = chunker.predict(json.loads(match["body"]))
        if match["answer"]:
            expected = json.loads(match["answer"])
            if "version" in expected:
                answer["version"] = expected["version"]
            assert answer == expected
        else:
            assert status == 200


def test_the_client_of_the_page_works(chunker):
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {}
    exec(code, names)
    found = names["predict"]([["The", "bus"], ["It", "rained"]], f"http://127.0.0.1:{chunker.port}")
    assert list(map(len, found)) == [2, 2]


def test_the_page_names_every_field_option_and_status():
    from riata.commands.serve import command
    from riata.serving.api import REFUSED
    from riata.serving.asking import Ask

    for name in Ask.model_fields:
        assert f"`{name}`" in PAGE
    for status in REFUSED:
        assert f"| {status}" in PAGE
    quiet = ("--port", "--watch", "--playground")
    for parameter in command.params:
        for option in parameter.opts:
            assert option in quiet or option in PAGE, option


def test_the_container_file_runs_the_server():
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert '"riata", "serve"' in text
    assert "USER riata" in text
