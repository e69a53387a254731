"""Structures offer operations; recipes name those they need."""

from __future__ import annotations

from dataclasses import dataclass

from riata.settings import Setting


@dataclass(frozen=True)
class Structure:
    name: str
    summary: str
    paper: str
    offers: frozenset[str]  # operations
    queues: frozenset[str]  # by which it can be searched
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
