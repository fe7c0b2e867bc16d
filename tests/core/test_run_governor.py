"""An endpoint gets as many requests at a time as it takes, found out by all who ask it together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.runners.governor import EndpointGovernor


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


class _Busy:
    """Takes three requests at a time and refuses the fourth."""

    TAKES = 3

    def __init__(self):
        self.inside, self.most, self.answers, self.lock = 0, 0, [], threading.Lock()

    def ask(self, governor):
        while True:
            with governor.slot() as asked_at:
                with self.lock:
                    self.inside += 1
                    self.most = max(self.most, self.inside)
                    good = self.inside <= self.TAKES
                    self.answers.append(good)
                time.sleep(0.02 if good else 0.001)
                with self.lock:
                    self.inside -= 1
                if not good:
                    governor.refused(asked_at, wait_s=None)
            if good:
                governor.answered()
                return


def test_the_limit_settles_about_what_the_endpoint_takes():
    busy = _Busy()
    governors = [EndpointGovernor("http://a", most=16) for _ in range(12)]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(busy.ask, governors * 20))
    later = busy.answers[len(busy.answers) // 4 :]
    assert later.count(False) < 0.35 * len(later)  # ungoverned, 9 of 12 are refused again and again
    assert busy.TAKES <= busy.most <= 2 * busy.TAKES
    assert 1 <= governors[0].limit <= busy.TAKES + 2


def test_a_refusal_halves_once_however_many_were_under_way():
    governor = EndpointGovernor("http://a", most=64)
    for _ in range(200):
        governor.answered()
    before = governor.limit
    asked_at = time.monotonic()
    for _ in range(10):
        governor.refused(asked_at, wait_s=None)
    assert before // 2 - 1 <= governor.limit <= before // 2 + 1
    assert EndpointGovernor("http://b", most=64).limit == 4  # another endpoint is another matter


def test_nobody_asks_before_the_endpoint_wished():
    governor = EndpointGovernor("http://a", most=4)
    governor.refused(time.monotonic(), wait_s=0.3)
    refused_at = time.monotonic()
    with EndpointGovernor("http://a", most=4).slot() as begun:
        assert begun - refused_at >= 0.25


def test_a_killed_process_gives_its_slot_back(tmp_path):
    code = (
        "import sys, tempfile, time\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "from fourdcb.evaluation.runners.governor import EndpointGovernor\n"
        "with EndpointGovernor('http://a', most=1).slot():\n"
        "    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline().strip() == "held"
    taken = threading.Event()

    def take():
        with EndpointGovernor("http://a", most=1).slot():
            taken.set()

    waiting = threading.Thread(target=take, daemon=True)
    waiting.start()
    assert not taken.wait(0.3)
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert taken.wait(10.0)
    waiting.join()


@pytest.mark.parametrize("torn", ["", "{", "[1]", json.dumps({"limit": 3, "else": 1})])
def test_a_torn_note_begins_anew(tmp_path, torn):
    governor = EndpointGovernor("http://a", most=8)
    governor.refused(time.monotonic(), wait_s=None)
    note = next(tmp_path.rglob("learned.json"))
    note.write_text(torn)
    assert governor.limit == 4


def test_what_was_learned_long_ago_or_before_a_restart_is_forgotten(tmp_path):
    governor = EndpointGovernor("http://a", most=8)
    governor.refused(time.monotonic(), wait_s=None)
    assert governor.limit == 2
    note = next(tmp_path.rglob("learned.json"))
    os.utime(note, (time.time() - 3600, time.time() - 3600))
    assert governor.limit == 4
    note.write_text(json.dumps({"limit": 1.0, "lowered_at": time.monotonic() + 1e6, "not_before": 0.0}))
    assert governor.limit == 4


def test_no_place_for_the_note_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    with pytest.raises(UserError, match="no place to note"):
        EndpointGovernor("http://a", most=8)
