"""Structures offer operations; recipes name those they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from riata.settings import Setting


@dataclass(frozen=True)
class Structure:
    name: str
    summary: str
    paper: str
    offers: frozenset[str]  # operations
    queues: frozenset[str]  # by which it can be searched
    refused: Mapping[str, str] = field(
        default_factory=dict, hash=False
    )  # queues that make no sense here, with the reason
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True)
class Queue:
    name: str
    summary: str
    paper: str
    has_beam: bool = False
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True)
class Loss:
    name: str
    summary: str
    paper: str
    adds_up_over: str  # tokens, edges, segments or the whole output
    settings: tuple[Setting, ...] = ()
