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
        if payload == "unpicklable":
            return lambda: None
        return payload * 2


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
