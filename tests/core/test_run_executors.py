"""What one payload does costs itself alone."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

import psutil
import pytest

from fourdcb.errors import UserError
from fourdcb.work import Limits, LocalExecutor, make_executor


@dataclass
class Misbehaving:
    """Does what the payload says."""

    refuse: bool = False

    def open(self):
        if self.refuse:
            raise UserError("the model has no weights")
        return self.call

    def close(self):
        pass

    def call(self, payload):
        if payload == "hang":
            time.sleep(60)
        if payload == "eat":
            held = []
            while True:
                held.append(bytearray(20_000_000))
                time.sleep(0.002)
        if payload == "crash":
            os.kill(os.getpid(), 11)
        if payload == "print":
            for _ in range(300):
                print("garbage" * 1000)
                print("more" * 1000, file=sys.stderr)
        if payload == "raise":
            raise ValueError("no")
        if payload == "exit":
            sys.exit(3)
        if payload.startswith("daemon"):
            _leave_a_daemon(payload.partition(":")[2])
            if payload.startswith("daemon-and-crash"):
                os._exit(7)
        if payload == "unpicklable":
            return lambda: None
        return payload * 2


def _leave_a_daemon(told):
    """A grandchild in a session of its own, which holds all that it inherited."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with open(told, "w") as stream:
                stream.write(str(os.getpid()))
            time.sleep(60)
        os._exit(0)
    os.wait()
    while not os.path.exists(told) or not os.path.getsize(told):
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    folder = os.path.dirname(__file__)
    monkeypatch.syspath_prepend(folder)
    Misbehaving.__module__ = "test_run_executors"
    sys.modules.setdefault("test_run_executors", sys.modules[__name__])


def test_every_kind_of_trouble_costs_its_own_payload_only():
    kinds = ["a", "hang", "eat", "crash", "print", "raise", "exit", "unpicklable", "b"]
    limits = Limits(seconds=3.0, memory_mb=600.0)
    found = {o.key: o for o in LocalExecutor(2).run(Misbehaving(), ((k, k) for k in kinds), limits=limits)}
    assert {k: o.status for k, o in found.items()} == {
        "a": "ok",
        "hang": "timeout",
        "eat": "out_of_memory",
        "crash": "crashed",
        "print": "ok",
        "raise": "failed",
        "exit": "failed",
        "unpicklable": "failed",
        "b": "ok",
    }
    assert found["a"].value == "aa"
    assert found["raise"].error == "ValueError: no"
    assert "SIGSEGV" in found["crash"].error
    assert 0 < len(found["print"].output) <= 16 * 1024
    assert not psutil.Process().children(recursive=True) or all(
        "executors.worker" not in " ".join(p.cmdline()) for p in psutil.Process().children(recursive=True)
    )


def test_work_that_cannot_be_loaded_is_told_once():
    with pytest.raises(UserError, match="the model has no weights"):
        list(LocalExecutor(2).run(Misbehaving(refuse=True), [("a", "a")], limits=Limits()))


def test_no_payloads_need_no_worker():
    assert list(LocalExecutor(2).run(Misbehaving(refuse=True), [], limits=Limits())) == []


@pytest.mark.parametrize(
    ("name", "workers", "told"), [("spark", None, "no such executor"), ("local", 0, "one worker")]
)
def test_executors_that_there_are_not(name, workers, told):
    with pytest.raises(UserError, match=told):
        make_executor(name, workers=workers)


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are kept on Linux")
def test_a_daemon_ends_with_its_worker(tmp_path):
    payload = f"daemon:{tmp_path / 'pid'}"
    (outcome,) = LocalExecutor(1).run(Misbehaving(), [("a", payload)], limits=Limits(seconds=30.0))
    assert outcome.status == "ok"
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 20.0  # it is killed; the system takes a moment to carry that out
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(pid)


def _runs(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_crash_is_told_at_once_although_a_daemon_holds_the_connection(tmp_path):
    payload = f"daemon-and-crash:{tmp_path / 'pid'}"
    work = [("a", payload), ("b", "b")]
    try:
        found = {o.key: o for o in LocalExecutor(1).run(Misbehaving(), work, limits=Limits(seconds=30.0))}
    finally:
        os.kill(int((tmp_path / "pid").read_text()), 9)
    assert (found["a"].status, found["a"].error) == ("crashed", "the process ended (exit code 7)")
    assert found["b"].value == "bb"
