"""What an exported report says about the edits: values, the judgement without them, pictures of one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.result import Report
from fourdcb.report import EditComparison, EditedValue, png_bytes
from fourdcb.world import World, parameter

Named = tuple[str, NDArray[np.uint8] | None]


def edit_comparison(
    before: World, edits: Mapping[str, float], *, judged: Report | None, frame: int, pictures: Sequence[Named]
) -> EditComparison:
    """The edits as reports show them.

    Args:
        before: the world without the edits.
        edits: edited values by path.
        judged: the judgement of ``before``; None when it is not known.
        frame: which frame the pictures show.
        pictures: names and sRGB uint8 images, shape (H, W, 3); those that are None are left out.
    """
    return EditComparison(
        values=tuple(_edited(before, path, value) for path, value in edits.items()),
        before=judged,
        frame=frame,
        pictures=tuple((name, png_bytes(image)) for name, image in pictures if image is not None),
    )


def _edited(before: World, path: str, value: float) -> EditedValue:
    was = parameter(before, path)
    return EditedValue(path=path, before=was.value, after=value, unit=was.unit)
