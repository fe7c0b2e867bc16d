"""What jobs that somebody asked for answer while they run and when they end: immutable, picklable, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """``done`` of ``total`` steps of a stage."""

    label: str
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDone:
    """The job's result."""

    result: object


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFailed:
    """An error that the user should read."""

    error: UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLost:
    """It ended without an answer."""

    reason: str


JobAnswer = JobProgress | JobDone | JobFailed | JobLost
