"""An endpoint that fails: every request is answered or counted, none becomes a score; repairs go back."""

from __future__ import annotations

import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest
from fourdcb.evaluation.runners import chat
from fourdcb.evaluation.runners.http import HttpRunner

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
    result = HttpRunner.from_config({"url": server.url, "frames": 1, "repair": 3}).generate(_request())
    assert len(server.asked) == 3
    told = server.asked[1][1]["messages"][-1]["content"][0]["text"]
    assert "missing required field 'acc'" in told
    assert [bool(r["complaints"]) for r in result.metadata["rounds"]] == [True, True, False]
    server = endpoint(lambda n, body: (200, _said(BAD), {}))
    HttpRunner.from_config({"url": server.url, "frames": 1, "repair": 2}).generate(_request())
    assert len(server.asked) == 3


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
