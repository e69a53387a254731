"""Templates of tags and chunk labels that are scored in pairs: of one column at neighbouring words, or of both at one word.

One template per line, as in `joint.py`: the output that it is for, `tag` or `chunk`, and what it reads, taken together:

    tag word[0]               a tag with the current word
    chunk word[-1] word[0]    a chunk label with two words
    tag tag[-1]               two neighbouring tags
    chunk chunk[-1]           two neighbouring chunk labels
    chunk tag[0]              a chunk label with the tag of its word
    chunk tag[0] word[0]      the same with the word; `tag tag[-1]` and `chunk chunk[-1]` may read words, too

No line reads more outputs than these, so that sums over all outputs are exact.
"""

from __future__ import annotations

from functools import cached_property

from riata._core import FactorialTemplates
from riata.errors import RiataError, TemplateError
from riata.features.compile import Features, Program
from riata.structures.joint.templates import OUTPUTS, JointProgram, JointTemplate, compile_joint
from riata.structures.joint.templates import parse as parse_joint

TAG, CHUNK = range(len(OUTPUTS))
ALONE = -1  # in place of the column of a second label
# The column of the second label that a template reads, from its output and the offsets of the tags and chunk labels that it reads.
SECOND = {
    ("tag", (), ()): ALONE,
    ("tag", (-1,), ()): TAG,
    ("chunk", (), ()): ALONE,
    ("chunk", (), (-1,)): CHUNK,
    ("chunk", (0,), ()): TAG,
}


def misfit(template: JointTemplate) -> RiataError | None:
    """Why a template cannot be used; None if it can."""
    if (template.output, template.tags, template.chunks) in SECOND:
        return None
    error = TemplateError(
        f"'{template}' reads other outputs than the structure 'factorial' scores together.",
        remedy="A line reads at most tag[-1] for a tag, and chunk[-1] or tag[0] for a chunk label; structure='joint' reads more.",
    )
    return error if template.place is None else error.located(*template.place)


def parse(text: str, name: str = "<template>") -> tuple[JointTemplate, ...]:
    """The templates of a text; TemplateError names the line."""
    templates = parse_joint(text, name)
    for template in templates:
        error = misfit(template)
        if error is not None:
            raise error
    return templates


class FactorialFeatures(Features):
    """A set of templates of tags and chunk labels with everything it has seen."""

    templates: tuple[JointTemplate, ...]
    joint: JointProgram

    def compiled(self) -> Program:
        for template in self.templates:
            error = misfit(template)
            if error is not None:
                raise error
        self.joint = compile_joint(self.templates)
        return self.joint.program

    @cached_property
    def native(self) -> FactorialTemplates:
        """The templates as the core takes them."""
        return FactorialTemplates(self.index, len(OUTPUTS), [self._slot(*slot) for slot in self.joint.slots])

    @staticmethod
    def _slot(template: JointTemplate, family: int, offset: int) -> tuple[int, int, int, int]:
        """Column, column of the second label, family of n-grams or -1, offset."""
        second = SECOND[template.output, template.tags, template.chunks]
        return OUTPUTS.index(template.output), second, family, offset
