"""An endpoint that fails: every request is answered or counted, none becomes a score; repairs go back."""

from __future__ import annotations

import base64
import json
import random
import threading
import time
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

import cv2
import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest
from fourdcb.evaluation.blind import blind_remarks
from fourdcb.evaluation.runners import chat
from fourdcb.evaluation.runners.http import HttpRunner
from fourdcb.replay import replay
from fourdcb.video import VideoReader, write_video

VIDEO = str(files("fourdcb_resources") / "scenes" / "bounce_ball" / "video.mp4")
GOOD = 'world = World()\nb = Object("b", geometry="sphere", pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8])\n'
BAD = 'world = World()\nb = Object("b", geometry="sphere", pos=[0, 0, 1], vel=[0, 0, 0])\n'


class _Endpoint(ThreadingHTTPServer):
    """Answers as ``script`` says; remembers what it was asked."""

    def __init__(self, script):
        self.asked, self.script = [], script
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body, self.headers.get("Authorization")))
        status, answer, headers = self.server.script(len(self.server.asked), body)
        if status is None:
            time.sleep(1.5)
            return
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        return None


def _said(text):
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setattr(chat, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(chat, "_LONGEST_WAIT_S", 0.05)
    servers = []

    def start(script):
        server = _Endpoint(script)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def _request():
    return GenerationRequest(
        sample_id="a", task_name="t", inputs={"video": VIDEO, "camera": {"fov_y_deg": 40}}
    )


def test_frames_go_as_pictures_and_the_key_is_sent_but_not_recorded(endpoint, monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret")
    server = endpoint(lambda n, body: (200, _said(f"```python\n{GOOD}```"), {}))
    runner = HttpRunner.from_config({"url": server.url, "frames": 3, "model": "m", "key_variable": "MY_KEY"})
    result = runner.generate(_request())
    path, body, key = server.asked[0]
    assert path == "/v1/chat/completions"
    assert key == "Bearer secret"
    assert body["model"] == "m"
    pictures = [p for p in body["messages"][1]["content"] if p["type"] == "image_url"]
    assert len(pictures) == 3
    assert pictures[0]["image_url"]["url"].startswith("data:image/png;base64,")
    assert "Object" in body["messages"][0]["content"][0]["text"]
    assert GOOD in result.artifacts["script"]
    assert "secret" not in json.dumps([result.to_dict(), dict(runner.parameters)])


def test_what_is_wrong_goes_back_until_it_is_mended(endpoint):
    server = endpoint(lambda n, body: (200, _said(BAD if n < 3 else GOOD), {}))
    settings = {"url": server.url, "frames": 1, "repair": 3, "findings": False}
    result = HttpRunner.from_config(settings).generate(_request())
    assert len(server.asked) == 3
    told = server.asked[1][1]["messages"][-1]["content"][0]["text"]
    assert "missing required field 'acc'" in told
    assert [bool(r["complaints"]) for r in result.metadata["rounds"]] == [True, True, False]
    server = endpoint(lambda n, body: (200, _said(BAD), {}))
    HttpRunner.from_config({"url": server.url, "frames": 1, "repair": 2}).generate(_request())
    assert len(server.asked) == 3


def _text(body):
    return body["messages"][-1]["content"][0]["text"]


@pytest.fixture(scope="module")
def falling(tmp_path_factory):
    """A short clip with its truth beside it, the truth's text, and a text that is wrong."""
    truth = (
        "world = World(duration=0.4, fps=30)\n"
        "camera = Camera(pos=[0, -2.5, 0.5], target=[0, 0, 0.4], fov_y_deg=40, width=128, height=96)\n"
        'ball = Object("ball", geometry="sphere", size=[0.3, 0.3, 0.3], pos=[0, 0, 0.8], vel=[0, 0, -1],\n'
        "              acc=[0, 0, -9.8], base_color=[0.8, 0.1, 0.1])\n"
        'floor = Plane("floor")\n'
    )
    folder = tmp_path_factory.mktemp("falling")
    world = parse_script(truth, filename="world.py").world
    frames = replay(world).frames
    write_video(folder / "video.mp4", iter([frames[k] for k in range(world.n_frames)]), fps=30)
    (folder / "world.py").write_text(truth, encoding="utf-8")
    return folder / "video.mp4", truth, truth.replace("vel=[0, 0, -1]", "vel=[0.8, 0, 1]")


def test_what_a_replay_leaves_of_the_video_goes_back_until_nothing_is_left(endpoint, falling):
    video, truth, wrong = falling
    camera = asdict(parse_script(truth, filename="world.py").world.camera)
    request = GenerationRequest(sample_id="a", task_name="t", inputs={"video": str(video), "camera": camera})
    server = endpoint(lambda n, body: (200, _said([BAD, wrong, truth][min(n, 3) - 1]), {}))
    result = HttpRunner.from_config({"url": server.url, "frames": 1, "repair": 5}).generate(request)
    assert len(server.asked) == 3  # the third answer replays the video: nothing to tell
    assert result.artifacts["script"].strip() == truth.strip()
    assert "cannot be replayed" in _text(server.asked[1][1])
    message = server.asked[2][1]["messages"][-1]["content"]
    assert "silhouette_iou: 0." in message[0]["text"]
    assert [part["type"] for part in message] == ["text", *["image_url"] * 3]
    shown = base64.b64decode(message[2]["image_url"]["url"].split(",")[1])
    beside = cv2.imdecode(np.frombuffer(shown, np.uint8), 1)
    left, right = beside[:, :128], beside[:, -128:]
    with VideoReader(video) as reader:
        frames = np.stack([reader.frame(k) for k in range(reader.info.n_frames)])[..., ::-1]
    assert (frames == left).all(axis=(1, 2, 3)).any()  # the video's own picture, and a replay that differs
    assert np.abs(left.astype(int) - right).max() > 50
    assert [bool(r["complaints"]) for r in result.metadata["rounds"]] == [True, True, False]


def test_what_goes_back_is_the_same_with_the_truth_beside_the_video_and_without(falling, tmp_path):
    video, truth, wrong = falling
    lone = tmp_path / "clip.mp4"
    lone.write_bytes(video.read_bytes())
    beside, alone = blind_remarks(wrong, video), blind_remarks(wrong, lone)
    assert beside.text == alone.text
    assert beside.times == alone.times
    assert not beside.alike
    # the clock is the video's and the camera the declared one, whatever the answer says of them
    own = truth.replace("duration=0.4", "duration=1.0").replace("fov_y_deg=40", "fov_y_deg=70")
    assert blind_remarks(own, video, camera=parse_script(truth, filename="w.py").world.camera).alike
    assert not blind_remarks(own, video).alike


def test_an_answer_without_objects_goes_back_as_what_cannot_be_replayed(endpoint):
    server = endpoint(lambda n, body: (200, _said("world = World()\n"), {}))
    HttpRunner.from_config({"url": server.url, "frames": 1, "repair": 1}).generate(_request())
    assert len(server.asked) == 2
    assert "has no Object" in _text(server.asked[1][1])


def test_troubles_are_tried_again_and_none_becomes_an_answer(endpoint):
    rng = random.Random(4)

    def script(n, body):
        kind = rng.choice(["429", "500", "hang", "garbage", "shape", "empty", "good", "good", "good", "good"])
        answers = {
            "429": (429, b"slow down", {"Retry-After": "0"}),
            "500": (503, b"oops", {}),
            "hang": (None, b"", {}),
            "garbage": (200, b"<html>", {}),
            "shape": (200, {"choices": []}, {}),
            "empty": (200, _said(" "), {}),
            "good": (200, _said(GOOD), {}),
        }
        return answers[kind]

    server = endpoint(script)
    settings = {"url": server.url, "frames": 1, "timeout_s": 0.4, "retries": 20}
    for _ in range(8):
        result = HttpRunner.from_config(settings).generate(_request())
        assert result.status == "ok"
        assert result.artifacts["script"].strip() == GOOD.strip()


def test_an_endpoint_that_never_answers_is_a_failure_not_a_score(endpoint):
    server = endpoint(lambda n, body: (500, b"down", {}))
    runner = HttpRunner.from_config({"url": server.url, "frames": 1, "retries": 2})
    with pytest.raises(UserError, match=r"does not answer(.|\n)*status 500 \(asked 3 times\)"):
        runner.generate(_request())


def test_a_refusal_is_not_tried_again(endpoint):
    server = endpoint(lambda n, body: (401, b"who are you", {}))
    with pytest.raises(UserError, match="who are you"):
        HttpRunner.from_config({"url": server.url, "frames": 1}).generate(_request())
    assert len(server.asked) == 1
