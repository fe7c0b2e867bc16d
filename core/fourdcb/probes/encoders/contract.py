"""What an encoder is: a window in, [CLS] and a grid of patch tokens out, and nothing that learns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from fourdcb.arrays import F32
from fourdcb.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderSpec:
    """Everything that features depend on, beside the pictures.

    Attributes:
        name: as the command line says it, with its layer.
        revision: of weights and code: a hash, a version.
        side: of the square that it must be shown [px]; None takes any.
        frames: that it must be shown; None takes any.
        mean, std: of the normalisation of each channel, applied inside.
        causal: patch tokens of a frame have not seen later frames.
        framewise: patch tokens of a frame have seen that frame alone.
        trained: whether its weights come from training.
        digest: of the parameters, hex; empty where there are none.
        notes: for the report.
    """

    name: str
    revision: str
    side: int | None = None
    frames: int | None = None
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    causal: bool = False
    framewise: bool = False
    trained: bool = False
    digest: str = ""
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Features:
    """What an encoder says of B windows.

    Attributes:
        cls: summary of the whole window, shape (B, D).
        patches: tokens of every place and time, without [CLS], shape (B, T', h, w, D'); T' divides T where an
            encoder joins neighbouring frames.
    """

    cls: F32
    patches: F32


class Encoder(Protocol):
    """A frozen encoder."""

    @property
    def spec(self) -> EncoderSpec:
        """What its features depend on."""
        ...

    def encode(self, clips: F32) -> Features:
        """Features of windows, shape (B, 3, T, H, W), in [0, 1]."""
        ...

    def digest(self) -> str:
        """Digest of the parameters as they are now. Raises UserError where one of them could be trained."""
        ...


def check_input(clips: F32, spec: EncoderSpec) -> None:
    """Raises UserError for what is no ``[B, 3, T, H, W]`` in [0, 1] of the size that the encoder takes."""
    where = f"encoder {spec.name}"
    side, frames = spec.side or "H", spec.frames or "T"
    wanted = f"float32, [B, 3, {frames}, {side}, {side if spec.side else 'W'}] in [0, 1]"
    right = (
        clips.ndim == 5
        and clips.shape[1] == 3
        and spec.side in (None, clips.shape[3])
        and spec.side in (None, clips.shape[4])
        and spec.frames in (None, clips.shape[2])
    )
    if not right or clips.dtype != np.float32:
        raise UserError(
            "the input has another shape or type", where=where, got=f"{clips.dtype}, {list(clips.shape)}",
            expected=wanted, hint="square() and as_input() of fourdcb.probes.windows cut and convert",
        )  # fmt: skip
    low, high = float(clips.min()), float(clips.max())
    if not (low >= 0.0 and high <= 1.0):
        raise UserError(
            "the input is not in [0, 1]", where=where, got=f"{low:g} … {high:g}", expected=wanted,
            hint="divide bytes by 255; normalisation happens inside of the encoder",
        )  # fmt: skip


def check_features(found: Features, clips: F32, spec: EncoderSpec) -> None:
    """Raises UserError for features of the wrong shape, or with values that are no numbers."""
    batch, frames = clips.shape[0], clips.shape[2]
    cls, patches = found.cls, found.patches
    right = cls.ndim == 2 and patches.ndim == 5 and len(cls) == len(patches) == batch
    if not right or frames % patches.shape[1]:
        raise UserError(
            "the encoder gave features of another shape", where=f"encoder {spec.name}",
            got=f"cls {list(cls.shape)}, patches {list(patches.shape)}",
            expected=f"cls [{batch}, D], patches [{batch}, T, h, w, D] with T dividing {frames}",
        )  # fmt: skip
    for name, values in (("cls", cls), ("patches", patches)):
        bad = int((~np.isfinite(values)).sum())
        if bad:
            raise UserError(
                "the encoder gave NaN or infinity", where=f"encoder {spec.name}",
                got=f"{bad} of {values.size} values of {name}",
                hint="check its weights and its precision (half floats overflow); nothing was kept",
            )  # fmt: skip
