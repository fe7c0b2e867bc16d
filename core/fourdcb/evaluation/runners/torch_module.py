"""A ``torch.nn.Module`` that takes ``[B, T, 3, 256, 256]`` and gives the text of a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from fourdcb.errors import MissingDependencyError, UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Record
from fourdcb.evaluation.resolver import load_attribute
from fourdcb.evaluation.runners.settings import script_result, settings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchSettings(Record):
    """The module and what it is given.

    Attributes:
        module: ``package.module:Class``, made without arguments.
        weights: file of a state dict to load, or empty.
        device: where it runs.
        frames: frames of a clip, evenly chosen; 0 takes all.
        revision: says when its answers change.
    """

    module: str
    weights: str = ""
    device: str = "cpu"
    frames: int = 0
    revision: str = ""


class TorchRunner:
    """Holds the module in evaluation mode; answers under ``torch.no_grad()``."""

    def __init__(self, settings: TorchSettings) -> None:
        try:
            import torch
        except ImportError as error:
            raise MissingDependencyError("torch", extra="learn", purpose="a torch model") from error
        self._settings, self._torch = settings, torch
        kind = load_attribute(settings.module, what="module")
        self._module = kind()
        if not isinstance(self._module, torch.nn.Module):
            raise UserError("this is no torch module", got=settings.module)
        if settings.weights:
            state = torch.load(settings.weights, map_location=settings.device, weights_only=True)
            self._module.load_state_dict(state)
        self._module.to(settings.device).eval()

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A runner of :class:`TorchSettings`."""
        return cls(settings_of(TorchSettings, config, runner="torch"))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The settings, and the hash of the weights."""
        from pathlib import Path

        from fourdcb.identity import file_sha256

        weights = self._settings.weights
        return {**self._settings.to_dict(), "sha256": file_sha256(Path(weights)) if weights else None}

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """The script that the module gives for the clip."""
        from fourdcb.evaluation.runners.clip_array import load_video

        torch = self._torch
        clip = load_video(request.inputs["video"], frames=self._settings.frames)
        with torch.no_grad():
            answer = self._module(torch.from_numpy(clip)[None].to(self._settings.device))
        if isinstance(answer, list | tuple) and len(answer) == 1:
            answer = answer[0]
        return script_result(request, answer)

    def cleanup(self) -> None:
        """Let the module go."""
        del self._module
