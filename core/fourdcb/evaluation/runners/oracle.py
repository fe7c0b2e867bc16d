"""The Oracle as a model: it inverts the clip itself, knowing the camera and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Record
from fourdcb.evaluation.runners.settings import script_result, settings_of

REVISION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleSettings(Record):
    """How long it may think.

    Attributes:
        time_limit_s: of one clip; the best so far is the answer when it passes.
    """

    time_limit_s: float = 120.0


class OracleRunner:
    """Answers with :func:`fourdcb.oracle.invert.invert`; a partial script is an answer, too."""

    def __init__(self, settings: OracleSettings) -> None:
        self._settings = settings

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A runner of :class:`OracleSettings`."""
        return cls(settings_of(OracleSettings, config, runner="oracle"))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The settings and the revision."""
        return {**self._settings.to_dict(), "revision": REVISION}

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """A script with what is known of its values in its head.

        Raises:
            UserError: the camera is not declared, or the video cannot be read.
        """
        from fourdcb.oracle.invert import invert
        from fourdcb.oracle.sources import clip_of
        from fourdcb.world.camera_record import camera_from

        declared = request.inputs.get("camera")
        if declared is None:
            raise UserError("the Oracle needs the camera", where=request.sample_id)
        clip = clip_of(Path(request.inputs["video"]), camera_from(declared, where=request.sample_id))
        found = invert(
            clip.frames, clip.camera, fps=clip.fps, times=clip.times, time_limit=self._settings.time_limit_s
        )
        told = {
            "explained": found.explained,
            "silhouette_iou": None if found.overlap != found.overlap else round(found.overlap, 4),
            "notes": list(found.notes),
        }
        return script_result(request, found.script, metadata=told)

    def cleanup(self) -> None:
        """Nothing is held."""
