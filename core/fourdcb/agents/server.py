"""The desk behind a Model Context Protocol server (package ``mcp``, version 2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fourdcb import __version__
from fourdcb.agents.desk import LONGEST_WAIT_S, AgentDesk
from fourdcb.agents.replies import bounded
from fourdcb.errors import MissingDependencyError, UserError

_INSTRUCTIONS = (
    "Videos of moving bodies are answered with an executable world script. Ask schema and samples first; "
    "look at frames; write a script; check it; evaluate it; mend what the findings say."
)


def make_server(desk: AgentDesk) -> Any:
    """An ``MCPServer`` with the desk's tools.

    Raises:
        MissingDependencyError: the package is not installed.
    """
    try:
        from mcp.server.mcpserver import Image, MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise MissingDependencyError("mcp", extra="agents", purpose="the server for agents") from error
    server = MCPServer("fourdcb", instructions=_INSTRUCTIONS, version=__version__)

    async def text(tool: str, call: Callable[..., str], **arguments: Any) -> str:
        # Only a ToolError's own text reaches the model; jobs are waited for beside the protocol's loop.
        try:
            return desk.recorded(tool, arguments, await asyncio.to_thread(call, **arguments))
        except UserError as error:
            desk.recorded(tool, arguments, f"error: {error}")
            raise ToolError(bounded(str(error))) from error

    async def picture(tool: str, call: Callable[..., bytes], **arguments: Any) -> Any:
        try:
            data = await asyncio.to_thread(call, **arguments)
        except UserError as error:
            desk.recorded(tool, arguments, f"error: {error}")
            raise ToolError(bounded(str(error))) from error
        desk.recorded(tool, arguments, f"a picture of {len(data)} bytes")
        return Image(data=data, format="png")

    @server.tool(structured_output=False)
    async def schema() -> str:
        """The language of the world script."""
        return await text("schema", desk.schema)

    @server.tool(structured_output=False)
    async def samples() -> str:
        """All samples: length, frame rate, size, declared camera."""
        return await text("samples", desk.samples)

    @server.tool(structured_output=False)
    async def video_frame(sample: str, frame: int) -> Any:
        """One frame of a sample's video as a picture."""
        return await picture("video_frame", desk.video_frame, sample=sample, frame=frame)

    @server.tool(structured_output=False)
    async def check(script: str) -> str:
        """Whether a script is valid; all complaints with line and column."""
        return await text("check", desk.check, script=script)

    @server.tool(structured_output=False)
    async def simulate(script: str) -> str:
        """What happens in a script: touches, bounces, slides, rests, with their times."""
        return await text("simulate", desk.simulate, script=script)

    @server.tool(structured_output=False)
    async def render(script: str, frame: int) -> Any:
        """One frame of a script's replay as a picture."""
        return await picture("render", desk.render, script=script, frame=frame)

    @server.tool(structured_output=False)
    async def evaluate(sample: str, script: str, wait: float = LONGEST_WAIT_S) -> str:
        """Judge a script against a sample; verdict and findings, or a job to ask for after `wait` seconds."""
        return await text("evaluate", desk.evaluate, sample=sample, script=script, wait=wait)

    @server.tool(structured_output=False)
    async def status(job: str, wait: float = 0.0) -> str:
        """How far a job is; waits up to `wait` seconds for it."""
        return await text("status", desk.status, job=job, wait=wait)

    @server.tool(structured_output=False)
    async def findings(job: str, page: int = 1) -> str:
        """A page of the findings of a job."""
        return await text("findings", desk.findings, job=job, page=page)

    @server.tool(structured_output=False)
    async def cancel(job: str) -> str:
        """End a job."""
        return await text("cancel", desk.cancel, job=job)

    @server.tool(structured_output=False)
    async def apply(script: str, path: str, value: float) -> str:
        """The script with one number changed, such as path="ball.restitution", value=0.8."""
        return await text("apply", desk.apply, script=script, path=path, value=value)

    return server
