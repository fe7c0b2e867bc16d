"""A Python function ``model_inference(video_path)`` that gives a script or the path of one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Record
from fourdcb.evaluation.resolver import as_function
from fourdcb.evaluation.runners.settings import script_result, settings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSettings(Record):
    """``module:name`` of the function, and a revision that says when its answers change."""

    function: str
    revision: str = ""


class FunctionRunner:
    """Calls the function with the video's path; with the request as well when it takes two arguments."""

    def __init__(self, settings: FunctionSettings) -> None:
        self._settings = settings
        self._function: Callable[..., Any] = as_function(settings.function)
        places = [
            p for p in inspect.signature(self._function).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
        ]  # fmt: skip
        self._takes_request = len(places) > 1

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A runner of ``function`` and ``revision``."""
        return cls(settings_of(FunctionSettings, config, runner="python"))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Name and revision; the code behind the name is not looked at."""
        return self._settings.to_dict()

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """What the function answers."""
        video = request.inputs["video"]
        answer = self._function(video, request) if self._takes_request else self._function(video)
        return script_result(request, answer)

    def cleanup(self) -> None:
        """Nothing is held."""
