"""Fixtures of the core's tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fourdcb.physics.bullet import BulletEngine


@pytest.fixture(scope="module")
def engine() -> Iterator[BulletEngine]:
    """One engine for all tests of a file."""
    from fourdcb.physics.bullet import BulletEngine

    with BulletEngine() as running:
        yield running
