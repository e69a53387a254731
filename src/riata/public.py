"""Everything that `import riata` offers: the one list of public names."""

from riata import constraints, errors, metrics
from riata.analysis.comparison import compare_models
from riata.analysis.curve import learning_curve
from riata.comparing.api import compare
from riata.comparing.comparison import Comparison
from riata.data.columns import read_columns, write_columns
from riata.data.conllu import read_conllu, write_conllu
from riata.data.datasets import load
from riata.data.documents import in_documents
from riata.data.encodings.base import spans
from riata.data.frames import from_frame
from riata.data.jsonl import read_jsonl, write_jsonl
from riata.data.memory import with_vectors
from riata.data.propbank import Proposition, RoleCorpus, read_propbank, write_propbank
from riata.data.tables import from_dataset, read_parquet, to_frame
from riata.data.types import Corpus, Sentence, Span
from riata.errors import RiataError, RiataWarning
from riata.estimators.found_spans import FoundSpan
from riata.estimators.model_file import load_model
from riata.explaining.trace import Trace
from riata.features.lists import learnt_lists
from riata.features.word_vectors import WordVectors
from riata.importing.estimator import import_model
from riata.inference.chain import kbest, loss_augmented_viterbi, viterbi
from riata.inference.matching import best_matching, best_matchings, matching_kbest, matching_posteriors
from riata.inference.segments import (
    loss_augmented_segment_viterbi,
    segment_kbest,
    segment_log_sum,
    segment_posteriors,
    segment_viterbi,
)
from riata.matching.links import read_pairs
from riata.matching.pairs import LinkedPair
from riata.problems.check_problem import check_problem
from riata.problems.predictor import Predictor
from riata.problems.problem import Problem
from riata.problems.structure import Structure
from riata.problems.structure_predictor import StructurePredictor
from riata.reranking.candidates import Candidate, read_lists
from riata.tasks.chunk import Chunker
from riata.tasks.joint import JointTagger
from riata.tasks.match import Matcher
from riata.tasks.ner import EntityRecognizer
from riata.tasks.parse import DependencyParser
from riata.tasks.rerank import Reranker
from riata.tasks.srl import RoleLabeler
from riata.tasks.tag import Tagger

__all__ = [
    "Candidate",
    "Chunker",
    "Comparison",
    "Corpus",
    "DependencyParser",
    "EntityRecognizer",
    "FoundSpan",
    "JointTagger",
    "LinkedPair",
    "Matcher",
    "Predictor",
    "Problem",
    "Proposition",
    "Reranker",
    "RiataError",
    "RiataWarning",
    "RoleCorpus",
    "RoleLabeler",
    "Sentence",
    "Span",
    "Structure",
    "StructurePredictor",
    "Tagger",
    "Trace",
    "WordVectors",
    "best_matching",
    "best_matchings",
    "check_problem",
    "compare",
    "compare_models",
    "constraints",
    "errors",
    "from_dataset",
    "from_frame",
    "import_model",
    "in_documents",
    "kbest",
    "learning_curve",
    "learnt_lists",
    "load",
    "load_model",
    "loss_augmented_segment_viterbi",
    "loss_augmented_viterbi",
    "matching_kbest",
    "matching_posteriors",
    "metrics",
    "read_columns",
    "read_conllu",
    "read_jsonl",
    "read_lists",
    "read_pairs",
    "read_parquet",
    "read_propbank",
    "segment_kbest",
    "segment_log_sum",
    "segment_posteriors",
    "segment_viterbi",
    "spans",
    "to_frame",
    "viterbi",
    "with_vectors",
    "write_columns",
    "write_conllu",
    "write_jsonl",
    "write_propbank",
]
