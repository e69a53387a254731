"""When an output counts as what a page says."""

import pytest

from printed import blocks_of, difference, renewed

PAGE = """
```python
print(1)
```

```text
1
```

Prose.

```text
no output
```

```text
$ riata --version
riata 1
```
"""


def test_an_output_is_the_text_right_below_what_runs(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert [(block.is_output, block.is_session) for block in blocks_of(page)] == [
        (False, False),
        (True, False),
        (False, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("F1 95.16\n", "F1 95.2\n"),
        ("1,631 tokens\n", "1,640 tokens\n"),
        ("took 0.1 s\n", "took 17.4 s\n"),
        ("a\n...\nz\n", "a\nb\nc\nz\n"),
        ("a\n...\n", "a\nb\n"),
        ("┏━━━┳━━┓\n│ a │  1 │\n", "┏━━━━━┳━┓\n│ a   │ 1 │\n"),
    ],
)
def test_what_is_alike(expected, printed):
    assert difference(expected, printed) is None


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("F1 95.16\n", "F1 91.16\n"),
        ("B-NP\n", "I-NP\n"),
        ("a\nb\n", "a\n"),
        ("a\n", "a\nb\n"),
        ("a\n...\nz\n", "a\nb\n"),
        ("-1\n", "1\n"),
    ],
)
def test_what_differs(expected, printed):
    assert difference(expected, printed) is not None


def test_renewing_keeps_what_is_left_out():
    assert renewed("a 1\n...\nz 2\n", "a 9\nb\nz 8\n") == "a 9\n...\nz 8\n"
    assert renewed("a 1\n", "b 1\n") is None
