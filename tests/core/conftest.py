"""Fixtures of the core's tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fourdcb.physics import Engine


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """The engine that judges, one for all tests of a file."""
    from fourdcb.physics import make_engine

    with make_engine() as running:
        yield running
