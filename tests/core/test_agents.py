"""An agent at the desk: replies mend a fault; exams give nothing away; hostile scripts stay harmless."""

from __future__ import annotations

import asyncio
import re
from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.agents.desk import AgentDesk
from fourdcb.agents.replies import MOST_CHARACTERS, bounded
from fourdcb.agents.scripted import ScriptedAgent
from fourdcb.agents.tool_work import GuardedTools
from fourdcb.errors import UserError
from fourdcb.work import Limits
from fourdcb.work.journal import read_journal

SCENES = Path(str(files("fourdcb_resources") / "scenes"))
WRONG = (SCENES / "bounce_ball" / "candidates" / "wrong_restitution.py").read_text()
NO_ACC = 'world = World()\nb = Object("b", geometry="sphere", pos=[0, 0, 1], vel=[0, 0, 0])\n'


@pytest.fixture
def desk():
    desk = AgentDesk("mini")
    yield desk
    desk.close()


def test_a_fault_is_mended_from_the_replies_alone(desk):
    tools = {"evaluate": desk.evaluate, "status": desk.status, "apply": desk.apply}
    agent = ScriptedAgent(lambda tool, **arguments: tools[tool](**arguments), most_calls=4)
    verdict, calls, applied = agent.mend("bounce_ball", WRONG)
    assert verdict == "DEPLOYABLE"
    assert calls <= 4
    assert applied
    assert applied[0].startswith("ball.restitution = 0.8")


def test_an_agent_without_suggestions_gives_up():
    agent = ScriptedAgent(lambda tool, **arguments: "verdict: DEPLOYMENT_NOT_RECOMMENDED\n- something")
    assert agent.mend("any", "") == ("DEPLOYMENT_NOT_RECOMMENDED", 1, ())


def test_a_tool_that_takes_too_long_is_ended_and_the_next_call_works():
    bodies = "".join(
        f'b{k} = Object("b{k}", geometry="box", size=[0.1, 0.1, 0.1], mass=1, friction=0.5, restitution=0.1, '
        f"pos=[{0.12 * (k % 10)}, 0, {0.06 + 0.11 * (k // 10)}], vel=[0, 0, 0], acc=[0, 0, -9.8])\n"
        for k in range(60)
    )
    long = f'world = World(duration=30, fps=60)\n{bodies}floor = Plane("floor")\n'
    tools = GuardedTools(Limits(seconds=1.5))
    try:
        with pytest.raises(UserError, match="simulate was ended: it took more than"):
            tools.call("simulate", script=long)
        assert tools.call("apply", script=WRONG, path="ball.restitution", value=0.8) != WRONG
    finally:
        tools.close()


def test_an_exam_gives_no_expected_value_away(tmp_path):
    with pytest.raises(UserError, match="needs a record"):
        AgentDesk("mini", exam=True)
    record = tmp_path / "exam.jsonl"
    desk = AgentDesk("mini", exam=True, record=record)
    try:
        reply = desk.recorded("evaluate", {"sample": "bounce_ball"}, desk.evaluate("bounce_ball", WRONG))
        replies = [reply, desk.findings("job-1"), desk.findings("job-1", page=2), desk.status("job-1")]
    finally:
        desk.close()
    assert "verdict: DEPLOYMENT_NOT_RECOMMENDED" in reply
    for text in replies:
        assert "0.8" not in text
        assert "suggestion" not in text
        assert "reference" not in text
        assert not re.search(r"\d\.\d", text)  # no figure of any kind
    rows = read_journal(record).records
    assert [row["tool"] for row in rows] == ["evaluate"]


def test_a_job_is_waited_for_asked_for_and_cancelled(desk):
    reply = desk.evaluate("bounce_ball", WRONG, wait=0)
    assert reply == "job-1 runs; ask status(job='job-1', wait=30)"
    assert desk.cancel("job-1") == "job-1 is cancelled"
    assert desk.status("job-1", wait=30).endswith("cancelled")
    with pytest.raises(UserError, match="no job 'job-7'"):
        desk.status("job-7")


def test_bad_scripts_are_answered_with_their_complaints(desk):
    with pytest.raises(UserError, match="missing required field 'acc'"):
        desk.check(NO_ACC)
    assert "missing required field 'acc'" in desk.evaluate("bounce_ball", NO_ACC)


@pytest.mark.parametrize(
    "script",
    [
        "import os\nos.system('touch /tmp/owned')\n",
        "world = World()\nx = ().__class__.__bases__\n",
        "world = World()\nwhile True: pass\n",
        "world = World()\nx = [0]\nfor i in x: x.append(i)\n",
        "world = World(duration=1e9, fps=1e6)\n",
        "x = 'a' * 10**12\n",
    ],
)
def test_hostile_scripts_are_refused(desk, script):
    for call in (desk.check, desk.simulate, lambda text: desk.render(text, 0)):
        with pytest.raises(UserError):
            call(script)
    assert not Path("/tmp/owned").exists()


def test_pictures_are_small(desk):
    import cv2
    import numpy as np

    for data in (desk.video_frame("slide_cup", 3), desk.render(WRONG, 5)):
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        assert max(picture.shape[:2]) <= 256
        assert len(data) <= 200_000
    with pytest.raises(UserError, match="no such frame"):
        desk.video_frame("slide_cup", 100_000)


def test_replies_are_bounded(desk):
    assert len(bounded("x" * 10**6)) == MOST_CHARACTERS
    assert len(desk.schema()) <= MOST_CHARACTERS
    assert len(desk.samples()) <= MOST_CHARACTERS


@pytest.mark.optional
def test_a_client_in_memory_uses_the_tools():
    mcp = pytest.importorskip("mcp")
    from fourdcb.agents.server import make_server

    desk = AgentDesk("mini")

    async def talk():
        async with mcp.Client(make_server(desk)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            good = await client.call_tool(
                "apply", {"script": WRONG, "path": "ball.restitution", "value": 0.8}
            )
            bad = await client.call_tool("check", {"script": NO_ACC})
            picture = await client.call_tool("video_frame", {"sample": "slide_cup", "frame": 0})
            return tools, good, bad, picture

    try:
        tools, good, bad, picture = asyncio.run(talk())
    finally:
        desk.close()
    assert tools == {
        "schema", "samples", "video_frame", "check", "simulate", "render", "evaluate", "status", "findings",
        "cancel", "apply",
    }  # fmt: skip
    assert "restitution=0.8" in good.content[0].text
    assert bad.is_error
    assert "missing required field 'acc'" in bad.content[0].text
    assert picture.content[0].mime_type == "image/png"
