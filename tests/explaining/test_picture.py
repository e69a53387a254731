"""Pictures of searches."""

from xml.etree import ElementTree

import pytest

from explanations import garden_path, own_trace
from riata.errors import DataError


@pytest.mark.parametrize("trace", [garden_path(1), garden_path(2), garden_path(3, truth=False), own_trace()])
def test_a_picture_is_svg_with_a_box_per_state_of_the_front(trace, tmp_path):
    trace.save_svg(tmp_path / "search.svg")
    root = ElementTree.parse(tmp_path / "search.svg").getroot()
    boxes = [each for each in root.iter() if each.tag.endswith("rect")]
    shown = [step for step in trace.steps if trace.nodes[step.front[0]].parent is not None]
    assert len(boxes) == 1 + sum(len(step.front) for step in shown) + len(trace.losses)


def test_a_picture_says_where_the_truth_is_lost(tmp_path):
    garden_path(1).save_svg(tmp_path / "search.svg", title="Epoch 1 <of 4>")
    text = (tmp_path / "search.svg").read_text()
    assert "Epoch 1 &lt;of 4&gt;" in text
    assert "lost" in text and "back to N" in text


def test_a_picture_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(DataError, match="the picture"):
        garden_path(1).save_svg(tmp_path / "none" / "search.svg")
