"""An agent without a language model: it reads replies, applies what they suggest, and asks again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fourdcb.agents.desk import LONGEST_WAIT_S, AgentDesk
from fourdcb.dataset.faults import Fault, FaultSize, faulty_source
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.errors import UserError
from fourdcb.progress import NullProgress, Progress

MOST_CALLS = 4
_SUGGESTION = re.compile(r"apply\(path='([^']+)', value=([^)]+)\)")
_RUNNING = re.compile(r"^(job-\d+) runs; ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mending:
    """How an agent got on with one wrong script.

    Attributes:
        scene, fault, size, parameter: what was wrong.
        verdict: the last one that was told.
        calls: tools that were called.
        applied: what was changed, ``path = value``, in order.
    """

    scene: str
    fault: str
    size: str
    parameter: str | None
    verdict: str
    calls: int
    applied: tuple[str, ...]

    @property
    def mended(self) -> bool:
        """Whether the last verdict is DEPLOYABLE."""
        return self.verdict == "DEPLOYABLE"


class ScriptedAgent:
    """Knows the tools by name and nothing but their replies.

    Args:
        call: calls a tool by its name and gives the text of the reply.
        most_calls: calls that it may make for one script.
    """

    def __init__(self, call: Callable[..., str], *, most_calls: int = MOST_CALLS) -> None:
        self._call, self._most = call, most_calls

    def mend(self, sample: str, script: str) -> tuple[str, int, tuple[str, ...]]:
        """Verdict, number of calls and changes for one script. A wait for a job that runs is no call."""
        calls, applied = 1, []
        reply = self._judged(sample, script)
        while _verdict(reply) != "DEPLOYABLE" and calls + 2 <= self._most:
            found = _SUGGESTION.search(reply)
            if found is None:
                break
            path, value = found.groups()
            script = self._call("apply", script=script, path=path, value=float(value))
            applied.append(f"{path} = {value}")
            reply = self._judged(sample, script)
            calls += 2
        return _verdict(reply), calls, tuple(applied)

    def _judged(self, sample: str, script: str) -> str:
        reply = self._call("evaluate", sample=sample, script=script)
        while (running := _RUNNING.match(reply)) is not None:
            reply = self._call("status", job=running[1], wait=LONGEST_WAIT_S)
        return reply


def _verdict(reply: str) -> str:
    found = re.search(r"^verdict: (\w+)", reply, re.MULTILINE)
    return "" if found is None else found[1]


def mend_faults(
    root: Path,
    faults: Mapping[str, Sequence[Fault]],
    desk: AgentDesk,
    *,
    sizes: Sequence[FaultSize] = ("just_over", "far"),
    most_calls: int = MOST_CALLS,
    progress: Progress | None = None,
) -> Iterator[Mending]:
    """Have the scripted agent mend every single fault that fails.

    Args:
        root: folder of the scene folders.
        faults: by scene.
        desk: whose tools it uses; the scenes are its samples.
        sizes: of the faults.
        most_calls: calls that it may make for one script.
        progress: told of every fault.

    Raises:
        UserError: for a bad truth script, or a fault that does not apply to it.
    """
    told = progress or NullProgress()
    wrong = [
        (scene, fault, size)
        for scene, each in faults.items()
        for fault in each
        for size in sizes
        if fault.parameter is not None and fault.failing(size)
    ]
    told.start("mending", len(wrong))
    tools = {name: getattr(desk, name) for name in ("evaluate", "status", "apply")}

    def call(tool: str, **arguments: object) -> str:
        return desk.recorded(tool, arguments, _text(tools[tool], arguments))

    agent = ScriptedAgent(call, most_calls=most_calls)
    for scene, fault, size in wrong:
        path = root / scene / REFERENCE_NAME
        source = faulty_source(path.read_text(encoding="utf-8"), fault, filename=str(path), size=size)
        verdict, calls, applied = agent.mend(scene, source)
        told.advance()
        yield Mending(
            scene=scene, fault=fault.name, size=size, parameter=fault.parameter, verdict=verdict, calls=calls,
            applied=applied,
        )  # fmt: skip


def _text(tool: Callable[..., str], arguments: Mapping[str, object]) -> str:
    """A reply as a client gets it: an error is text as well."""
    try:
        return tool(**arguments)
    except UserError as error:
        return f"error: {error}"
