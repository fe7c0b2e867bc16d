"""What people call axes, metrics and units, in the language that was chosen."""

from __future__ import annotations

from collections.abc import Sequence

from fourdcb.words.catalogue import chosen
from fourdcb.words.formats import LISTED, listed_by


def axis_title(axis: str) -> str:
    """An axis by name, such as ``Geometry``; unknown ones are spelled out."""
    return chosen().get(f"axes.{axis}.title", _spelled(axis))


def axis_meaning(axis: str) -> str:
    """What an axis stands for, where there is a whole line for it, such as ``Geometric fidelity``."""
    return chosen().get(f"axes.{axis}.meaning", axis_title(axis))


def metric_title(name: str) -> str:
    """A metric in words, such as ``Position error``; unknown ones are spelled out."""
    return chosen().get(f"metrics.{name}.title", _spelled(name))


def verdict_title(verdict: str) -> str:
    """A verdict for people, such as ``Not deployable``."""
    return chosen().get(f"verdicts.{verdict}", _spelled(verdict))


def status_title(status: str) -> str:
    """Why a metric has no value, such as ``not measured``."""
    return chosen().get(f"statuses.{status}", status.replace("_", " "))


def unit_sign(unit: str) -> str:
    """A unit as people write it: ``°`` for deg, ``fps`` for 1/s; others as they are."""
    return chosen().get(f"units.{unit}", unit)


def listed(names: Sequence[str], what: str = "", *, most: int = LISTED) -> str:
    """See :func:`fourdcb.words.formats.listed_by`, in the language that was chosen."""
    return listed_by(chosen(), names, what, most=most)


def _spelled(name: str) -> str:
    return name.replace("_", " ").capitalize()
