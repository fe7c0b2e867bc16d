"""A model behind an endpoint that speaks the chat-completions form: frames go in as pictures, a script
comes out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from fourdcb.errors import DiagnosticsError, SimulationDivergedError, UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Record
from fourdcb.evaluation.runners.chat import ChatEndpoint, picture_part, text_part
from fourdcb.evaluation.runners.settings import script_result, settings_of
from fourdcb.identity import canonical_json

_ASK = (
    "Here are {count} frames of a video of {seconds:.2f} s, {total} frames at {fps:g} frames per second; the "
    "times of the frames are {times} s. The camera is {camera}. Answer with the world script that "
    "replays it, and nothing else."
)
_MEND = "That script cannot be replayed:\n{complaints}\nAnswer with the whole script, mended."
_IMPROVE = (
    "That script was replayed and its pictures were compared with the video's:\n{remarks}\nThe pictures show "
    "the original on the left and your replay on the right, at {times} s. Answer with the whole script, "
    "improved."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings(Record):
    """The endpoint and how to ask it.

    Attributes:
        url: base address or full address of ``…/chat/completions``.
        model: name that the endpoint knows.
        key_variable: environment variable that holds the key; never recorded.
        frames: pictures of a clip, evenly chosen.
        repair: how often what is wrong with a script goes back to the model.
        findings: whether what a replay leaves of the video goes back as well, or only why there is no replay.
            It is found by the video and the declared camera; the truth is not looked at.
        timeout_s: of one request.
        retries: how often a request is sent again after 429, 5xx, a broken connection or garbage.
        temperature: of the sampling.
        max_tokens: of an answer; 0 leaves it to the endpoint.
        revision: says when its answers change.
    """

    url: str
    model: str = "default"
    key_variable: str = "FOURDCB_API_KEY"
    frames: int = 8
    repair: int = 0
    findings: bool = True
    timeout_s: float = 120.0
    retries: int = 6
    temperature: float = 0.0
    max_tokens: int = 0
    revision: str = ""


class HttpRunner:
    """Asks once for each sample, and again for each round of repair; all rounds are recorded."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._endpoint = ChatEndpoint(
            settings.url,
            key=os.environ.get(settings.key_variable),
            timeout_s=settings.timeout_s,
            retries=settings.retries,
        )

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A runner of :class:`HttpSettings`."""
        return cls(settings_of(HttpSettings, config, runner="http"))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The settings; time-outs and retries are among them, the key is not."""
        return self._settings.to_dict()

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """The model's last script. Raises UserError when the endpoint gives none."""
        messages = self._opening(request)
        rounds: list[dict[str, str]] = []
        while True:
            answer = self._endpoint.complete(
                messages,
                model=self._settings.model,
                temperature=self._settings.temperature,
                max_tokens=self._settings.max_tokens or None,
            )
            last = len(rounds) == self._settings.repair
            complaints = _complaints(answer)
            reply = [text_part(_MEND.format(complaints=complaints))] if complaints else []
            if not complaints and not last and self._settings.findings:
                complaints, reply = _remarks(answer, request)
            rounds.append({"answer": answer, "complaints": complaints})
            if last or not reply:
                return script_result(request, answer + "\n", metadata={"rounds": rounds})
            messages = [
                *messages,
                {"role": "assistant", "content": answer},
                {"role": "user", "content": reply},
            ]

    def cleanup(self) -> None:
        """Nothing is held."""

    def _opening(self, request: GenerationRequest) -> list[dict[str, Any]]:
        from fourdcb.dsl import schema_prompt
        from fourdcb.evaluation.runners.clip_array import sampled_frames

        pictures, times, info = sampled_frames(request.inputs["video"], self._settings.frames)
        text = _ASK.format(
            count=len(pictures),
            seconds=info.n_frames / info.fps,
            total=info.n_frames,
            fps=info.fps,
            times=", ".join(f"{t:.3f}" for t in times),
            camera=canonical_json(request.inputs["camera"]) if "camera" in request.inputs else "not declared",
        )
        parts = [text_part(text), *(picture_part(picture) for picture in pictures)]
        return [
            {"role": "system", "content": [text_part(schema_prompt())]},
            {"role": "user", "content": parts},
        ]


def _remarks(answer: str, request: GenerationRequest) -> tuple[str, list[dict[str, Any]]]:
    """What a replay leaves of the video, as text and as a message; an empty message where that is nothing."""
    from fourdcb.evaluation.blind import blind_remarks
    from fourdcb.world.camera_record import camera_from

    declared = request.inputs.get("camera")
    camera = camera_from(declared) if isinstance(declared, Mapping) and "pos" in declared else None
    try:
        found = blind_remarks(answer, request.inputs["video"], camera=camera)
    except (DiagnosticsError, SimulationDivergedError) as error:
        return str(error), [text_part(_MEND.format(complaints=error))]
    if found.alike:
        return "", []
    times = ", ".join(f"{time:.3f}" for time in found.times)
    text = _IMPROVE.format(remarks=found.text, times=times)
    return found.text, [text_part(text), *(picture_part(picture) for picture in found.pictures)]


def _complaints(answer: str) -> str:
    """What is wrong with a script, for its author; empty when it can be replayed."""
    from fourdcb.dsl import parse_script

    try:
        parse_script(answer, filename="answer.py", extract=True)
    except DiagnosticsError as error:
        return "\n".join(str(remark) for remark in error.diagnostics if remark.severity == "error")
    except UserError as error:
        return str(error)
    return ""
