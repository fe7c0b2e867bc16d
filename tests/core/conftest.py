"""Fixtures of the core's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fourdcb.physics import Engine
    from fourdcb.probes.samples import SampleTable


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """The engine that judges, one for all tests of a file."""
    from fourdcb.physics import make_engine

    with make_engine() as running:
        yield running


@pytest.fixture
def probe_table() -> Callable[..., SampleTable]:
    """Makes a table of samples from labels and groups; whatever else a sample has can be given by place."""
    from pathlib import Path

    import numpy as np

    from fourdcb.probes.clips import Target
    from fourdcb.probes.samples import Sample, SampleTable
    from fourdcb.probes.windows import Window, WindowSettings

    def made(labels: Sequence[str | None], groups: Sequence[str], **changed: dict[int, Any]) -> SampleTable:
        noise = np.random.default_rng(0)
        samples = []
        for i, (label, group) in enumerate(zip(labels, groups, strict=True)):
            fields: dict[str, Any] = {
                "id": f"c{i}#0", "clip": f"c{i}", "video": Path(f"c{i}.mp4"), "video_sha256": f"{i:064x}",
                "group": group, "keys": frozenset(), "metadata": {"frames": 60.0}, "fps": 30.0,
                "window": Window(start=0.0, frames=tuple(range(16))), "labels": {"what": label},
                "thumbnails": noise.integers(0, 256, (8, 24, 24, 3), dtype=np.uint8),
            }  # fmt: skip
            fields |= {name: values[i] for name, values in changed.items() if i in values}
            samples.append(Sample(**fields))
        return SampleTable.of(WindowSettings(), (Target(name="what"),), samples)

    return made
