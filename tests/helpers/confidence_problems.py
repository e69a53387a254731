"""Models of every structure with all outputs of their sentences, scores, states and searches: what confidences are checked against."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import joint_problems
import segment_problems
from chain_problems import decoder_of, options
from oracle import confidence as oracle
from oracle import joint as joint_oracle
from oracle import segments as segment_oracle
from riata import _core, registry
from riata.data.encodings.base import chunk_flags
from riata.data.memory import as_corpus
from riata.data.segmentation import Segmentation
from riata.explaining.tracing import traced
from riata.features.attributes import builtin
from riata.models.model import Model
from riata.structures.chain.model import ChainOutputs
from riata.structures.segments.model import SegmentOutputs

TEMPERATURES = [0.03, 0.3, 1.0, 7.0]
DOUBLE, SINGLE = 1e-6, 1e-4


@dataclass
class Sentence:
    """One sentence, all its outputs as paths of operators, and what a search gives for it."""

    paths: list
    scores: Any
    columns: Any  # of a path: the labels of each output, tuples
    parts: tuple  # of each output, how it is read
    found: list  # the columns of what was found
    decoded: list  # the same, by plain decoding
    values: Any  # [temperatures, outputs, T]
    within: float


def check(sentence, kept=lambda path: True):
    """kept: whether all states of a path were kept."""
    inside = [i for i, path in enumerate(sentence.paths) if kept(path)]
    scores = [sentence.scores[i] for i in inside]
    outputs = list(zip(*(sentence.columns(sentence.paths[i]) for i in inside), strict=True))
    assert sentence.found == sentence.decoded
    for temperature, values in zip(TEMPERATURES, sentence.values, strict=True):
        shares = oracle.shares(scores, temperature)
        for of, found, column, parts in zip(values, sentence.found, outputs, sentence.parts, strict=True):
            assert ((of >= 0) & (of <= 1)).all()
            expected = oracle.confidences(column, shares, found, parts)
            assert of.tolist() == pytest.approx(expected, abs=sentence.within)


def prefixes(path):
    return [path[:n] for n in range(1, len(path) + 1)]


# --- chains ----------------------------------------------------------------------------------------------------------
def single(model):
    """The same weights in single precision, as a file brings them back."""
    return ChainOutputs.from_parts(*model.to_parts(), builtin())


def chain_model(problem, weights, *, as_single=False):
    made = Model(problem.features, weights, ChainOutputs(problem.labels, problem.legality))
    return single(made) if as_single and not isinstance(weights, _core.ChainWeights) else made


def chain_sentences(model, sentences, is_legal, chosen, *, chunks):
    for words in sentences:
        paths = [path for path in itertools.product(model.labels, repeat=len(words)) if is_legal(path)]
        ids = np.array([model.labels.index(label) for path in paths for label in path], np.int32)
        scores = model.scores_of(model.features.instances(as_corpus([words] * len(paths))), ids)
        corpus, decoder = as_corpus([words]), decoder_of(chosen)
        found, values = model.confidences(corpus, decoder, TEMPERATURES, chunks=chunks)
        decoded = model.decode(model.features.instances(corpus), decoder)
        yield Sentence(
            paths,
            scores,
            columns=lambda path: [path],
            parts=(oracle.chunks if chunks else oracle.tokens,),
            found=[tuple(model.labels[i] for i in found)],
            decoded=[tuple(model.labels[i] for i in decoded)],
            values=values,
            within=SINGLE if isinstance(model.weights, _core.ChainWeights) else DOUBLE,
        )


def chain_kept(model, words, chosen):
    """By the states in the fronts of the same search."""
    trace = traced(model, as_corpus([words]), None, decoder_of(chosen), None, features=False)
    order = max(1, model.features.program.order)

    def key(path):
        return len(path), path[-order:] if trace.merge else path

    fronts = {key(trace.path(node)) for step in trace.steps for node in step.front}
    return lambda path: all(key(prefix) in fronts for prefix in prefixes(path))


# --- segments --------------------------------------------------------------------------------------------------------
def segment_sentences(problem, weights, chosen, encoding="iob2"):
    segmentation = Segmentation(problem.labels, registry.get("encoding", encoding))
    model, decoder = Model(problem.features, weights, SegmentOutputs(segmentation)), decoder_of(chosen)
    index = problem.features.index
    for words in problem.sentences:
        paths = segment_oracle.segmentations(len(words), problem.labels, problem.most)
        instances = problem.features.instances(as_corpus([words] * len(paths)))
        scores = weights.scores_of(index, instances, problem.codes(paths))
        corpus = as_corpus([words])
        found, values = model.confidences(corpus, decoder, TEMPERATURES, chunks=True)
        decoded = model.decode(model.features.instances(corpus), decoder)
        yield Sentence(
            paths,
            scores,
            columns=lambda path: [segment_problems.tags_of(path)],
            parts=(oracle.chunks,),
            found=[as_iob2(segmentation, found, len(words))],
            decoded=[as_iob2(segmentation, decoded, len(words))],
            values=values,
            within=SINGLE if isinstance(weights, _core.SegmentWeights) else DOUBLE,
        )


def as_iob2(segmentation, ids, length):
    tags = [segmentation.tags[i] for i in ids]
    return tuple(registry.get("encoding", "iob2").encode(segmentation.encoding.spans(tags), length))


def segment_kept(problem, weights, s, chosen):
    trace = segment_problems.trace_of(problem, weights, s, truth=False, **chosen)
    by_operations = chosen.get("beam_by") != "prefix"
    templates = problem.features.templates
    order = max([0, *(-t.labels[0] for t in templates if t.labels)])
    reads_start = any(t.length_before or t.role == "previous" for t in templates)

    def key(path):
        if not trace.merge:
            return path
        labels = tuple(label for _, label in path[len(path) - min(order, len(path)) :])
        operations = len(path) if by_operations else 0
        return segment_oracle.covered(path), operations, labels, path[-1][0] if reads_start else 0

    reached = [tuple(map(segment_problems.segment_of, trace.path(n))) for step in trace.steps for n in step.front]
    fronts = {key(path) for path in reached if path}
    return lambda path: all(key(prefix) in fronts for prefix in prefixes(path))


# --- tags with chunks ------------------------------------------------------------------------------------------------
def joint_sentences(problem, weights, chosen):
    """The instances are those of the problem, so that tags may be limited."""
    model, decoder = Model(problem.features, weights, problem.parts), decoder_of(chosen)
    index = problem.features.index
    flags, nothing = chunk_flags(problem.chunks), np.empty(0, np.int32)
    asked = (vars(decoder), *flags, np.array(TEMPERATURES), nothing)
    codes, values = weights.confidences(index, problem.instances, *asked)
    if not problem.sets:
        ids, same = model.confidences(as_corpus(problem.sentences), decoder, TEMPERATURES, chunks=True)
        assert ids.tolist() == codes.tolist()
        assert same.ravel().tolist() == values.tolist()
    found, decoded = problem.outputs(codes), problem.decode(weights, **chosen)
    values = values.reshape(len(TEMPERATURES), 2, -1)
    ends = np.cumsum([0, *map(len, problem.sentences)])
    for s, words in enumerate(problem.sentences):
        paths = problem.every(s)
        instances = problem.features.instances(as_corpus([words] * len(paths)))
        yield Sentence(
            paths,
            weights.scores_of(index, instances, problem.codes(paths)),
            columns=lambda path: list(zip(*path, strict=True)),
            parts=(oracle.tokens, oracle.chunks),
            found=list(zip(*found[s], strict=True)),
            decoded=list(zip(*decoded[s], strict=True)),
            values=values[:, :, ends[s] : ends[s + 1]],
            within=SINGLE if isinstance(weights, _core.JointWeights) else DOUBLE,
        )


def joint_kept(problem, weights, s, chosen):
    trace = joint_problems.trace_of(problem, weights, s, truth=False, **chosen)
    twin = joint_oracle.JointLaso(problem, options())

    def key(path):
        return twin.key(None, Reached(path)) if trace.merge else path

    reached = [joint_problems.path_to(trace, node, problem.ahead) for step in trace.steps for node in step.front]
    fronts = {key(path) for path in reached if path}
    return lambda path: all(key(prefix) in fronts for prefix in prefixes(joint_oracle.path_of(path, problem.ahead)))


@dataclass
class Reached:
    labels: tuple
