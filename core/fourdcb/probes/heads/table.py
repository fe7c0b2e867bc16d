"""Heads by name, with the settings that are tried and how long they are trained."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fourdcb.errors import UserError
from fourdcb.probes.heads.attentive import AttentiveHead
from fourdcb.probes.heads.contract import Head, Setting
from fourdcb.probes.heads.linear import LinearHead
from fourdcb.probes.heads.mlp import MlpHead
from fourdcb.probes.heads.training import Schedule

PENALTIES = tuple(Setting(0.0, float(p)) for p in np.geomspace(1e-2, 1e6, 20))
RATES, DECAYS = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2), (1e-4, 1e-3, 1e-2, 1e-1)
GRID = tuple(Setting(rate, decay) for rate in RATES for decay in DECAYS)
_KINDS: dict[str, Callable[[], Head]] = {"linear": LinearHead, "mlp": MlpHead, "attentive": AttentiveHead}
_CLOSED = ("ridge", "frame_ridge")  # linear heads in closed form
_SCHEDULES = {
    "linear": Schedule(epochs=150, batch=256),
    "mlp": Schedule(epochs=60, batch=128),
    "attentive": Schedule(epochs=30, batch=32),
}
HEADS = (*_CLOSED, *_KINDS)


def base_of(head: str) -> str:
    """Kind of a head: ``attentive@2`` is ``attentive`` over tokens averaged to 2 × 2 a frame.

    Raises:
        UserError: there is no such head.
    """
    base, at, grid = head.partition("@")
    right = base in HEADS and (not at or (base == "attentive" and grid.isdecimal() and int(grid) > 0))
    if not right:
        raise UserError("there is no such head", got=head, expected=f"{', '.join(HEADS)}, attentive@GRID")
    return base


def token_grid_of(head: str) -> int:
    """Cells along each side that a head averages tokens to; 0 takes them as they are stored."""
    return int(head.partition("@")[2] or 0)


def is_closed(head: str) -> bool:
    """Whether a head needs no training."""
    return base_of(head) in _CLOSED


def kind_of(head: str) -> Head:
    """A head's kind; one in closed form is a linear one."""
    return LinearHead() if is_closed(head) else _KINDS[base_of(head)]()


def settings_of(head: str) -> tuple[Setting, ...]:
    """The twenty settings that are tried: 5 rates × 4 decays, or 20 penalties."""
    return PENALTIES if is_closed(head) else GRID


def schedule_of(head: str) -> Schedule:
    """How long a head is trained."""
    return _SCHEDULES[base_of(head)]


def reads_tokens(head: str) -> bool:
    """Whether a head reads patch tokens, not [CLS]."""
    return kind_of(head).reads == "tokens"
