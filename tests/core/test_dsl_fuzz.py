"""Random scripts: the reader answers with a world or with diagnostics, within bounds, and executes nothing.

It is also a script that reads as many as one likes: ``python tests/core/test_dsl_fuzz.py --count 10000``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fourdcb.dsl import emit, parse_script
from fourdcb.errors import DiagnosticsError, UserError

MAX_CPU_SECONDS = 2.0
MAX_GROWTH_MB = 300
SEEDS = (
    """import math
import numpy as np
from math import cos
world = World(duration=3.0, fps=30)
E = 0.5
common = dict(vel=[0.4, 0.0, 0.0], acc=[0.0, 0.0, -9.8])
cup = Object("cup", geometry="cylinder", size=[0.08, 0.08, 0.10], mass=0.15, friction=0.3, restitution=E,
             pos=[0.0, 0.0, 0.75], material="ceramic", **common)
def place(i, r=0.3):
    return [r * math.cos(i), r * math.sin(i), 0.5 + 0.1 * i]
side = lambda s: (np.array([s, s, s]) / 1.0).tolist()
balls = []
for i, name in enumerate(["a", "b", "c"]):
    balls.append(Object(f"ball_{name}", geometry="sphere", size=side(0.1), pos=place(i), **common))
cup.vel[0] += 0.1
balls[0].restitution = max(0.1, min(E, 0.9))
print(f"{len(balls)} balls")
""",
    """world = World()
table = Plane(normal=[0.0, 0.0, 1.0], offset=0.0, restitution=0.2)
sun = DirectionalLight(direction=[-0.5, -0.3, -0.8], intensity_curve=[1.0, 0.98, 0.95])
lamp = Light("lamp", pos=(0, 0, 2), intensity=5 if table.offset == 0 else 3)
camera = Camera(pos=[1.2, -1.6, 1.1], target=[0, 0, 0.4], fov_y_deg=40, width=256, height=256)
world.add(Object(name="box", geometry="box", pos=[x / 10 for x in range(3)], vel=(0, 0, 0), acc=(0, 0, -9.8),
                 trajectory=[(0, [0, 0, 1]), (1.5, [1, 0, 1], [1, 0, 0, 0])], base_color=[1, 0, 0]))
world["box"].mass, world.fps = 2 ** 3 // 3 % 5, 24
""",
)
TOKENS = (
    "0", "-1", "1e309", "10**9", "None", "True", "[]", "()", "{}", "world", "cup", "Object", "World",
    ",", "(", ")", "[", "]", "{", "}", ":", "=", "==", ".", "*", "**", "+", "-", "/", "%", "\"", "'",
    "f'{x}'", "#", "\\", "\n", "    ", "for i in range(99):", "if", "else", "lambda", "while", "def",
    "return", "import", "np.array", "math.pi", "pos", "vel", "é", "\0", "\t", "\r", "\ufeff",
    "\u2028", "..", "...", "__", "@", ":=", "<<", "not", "in", "is", "balls", "print(", "from math import *",
    "lambda x: x", "np.zeros(3)", ".append(", ".update(", "```", "：", "“", "try:", "class A:", "yield",
)  # fmt: skip
_WORD = re.compile(r"(\w+(?:\.\d+)?)")
VALUES = (
    "0", "1", "-1", "3.5", "1e30", "1e-30", "10 ** 9", "None", "True", "'text'", "[]", "[1, 2]", "(0, 0, 1)",
    "{}", "cup", "world", "E", "balls", "place", "math.pi", "np.zeros(3)", "np", "Plane()", "Material('oak')",
    "len", "Texture('a.png')", "lambda v: v", "float('nan')", "range(3)", "common", "'../a'", "print",
    "Camera", "__name__",
)  # fmt: skip
SECRETS = ("__class__", "__dict__", "__globals__", "__mro__", "__subclasses__()", "__builtins__", "__init__",
           "__loader__", "_meter", "func_globals", "gi_frame", "call", "members", "node")  # fmt: skip
OWNERS = ("()", "world", "cup", "Object", "math", "np", "len", "place", "(lambda: 1)", "'a'", "print",
          "np.linalg", "world.add", "[].append", "{}.items")  # fmt: skip
CALLS = ("__import__('os').system", "eval", "exec", "compile", "open", "getattr", "globals", "vars", "input",
         "breakpoint", "type", "np.load", "np.fromfile", "np.memmap", "math.factorial", "help")  # fmt: skip
COMMANDS = ("'touch canary'", "'canary', 'w'", "'__import__(\"os\").mkdir(\"canary\")'", "1, '__class__'",
            "'canary'", "10 ** 9", "")  # fmt: skip


def reworded(rng: random.Random) -> str:
    """A valid script with some words, numbers and signs exchanged: still syntax more often than not."""
    pieces = _WORD.split(rng.choice(SEEDS))
    places = [i for i, piece in enumerate(pieces) if _WORD.fullmatch(piece)]
    for _ in range(rng.randint(1, 5)):
        at = rng.choice(places)
        pieces[at] = rng.choice(VALUES) if rng.random() < 0.5 else pieces[rng.choice(places)]
    return "".join(pieces)


def mutated(rng: random.Random) -> str:
    """A valid script with a few random changes."""
    source = rng.choice(SEEDS)
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(source) + 1), rng.choice([0, 0, 1, 1, 2, 5, 20])
        kind = rng.randrange(4)
        if kind == 0:
            source = source[:at] + source[at + length + 1 :]
        elif kind == 1:
            source = source[:at] + rng.choice(TOKENS) + source[at:]
        elif kind == 2:
            source = source[:at] + rng.choice(TOKENS) + source[at + length :]
        else:
            other = rng.randrange(len(source) + 1)
            source = source[:at] + source[other : other + 12] + source[at:]
    return source


def random_tokens(rng: random.Random) -> str:
    """Words and signs without any grammar."""
    return rng.choice(["", " "]).join(rng.choice(TOKENS) for _ in range(rng.randint(1, 60)))


def hostile(rng: random.Random) -> str:
    """A valid script with one line that tries to break out or to blow up."""
    kind = rng.choice([_number, _nesting, _attribute, _call, _format, _bomb, _growth])
    lines = rng.choice(SEEDS).splitlines()
    lines.insert(rng.randint(4, len(lines)), kind(rng))
    return "\n".join(lines)


def _number(rng: random.Random) -> str:
    big = rng.choice(["9" * rng.randint(3, 6000), f"10 ** {10 ** rng.randint(2, 12)}", "2 ** 2 ** 2 ** 9",
                      "1e308 * 10", f"1 << {10 ** rng.randint(2, 12)}",
                      f"int('{'9' * rng.randint(3, 4000)}')", f"0x{'f' * rng.randint(9, 9999)}",
                      "float('nan')", "-1e400"])  # fmt: skip
    return rng.choice(["x = {}", "world.fps = {}", "x = range({})", "x = [0] * ({})", "x = 'a' * ({})",
                       "world.duration = {}", "for i in range({}): pass", "x = [1, 2][{}]",
                       "x = round(1.5, {})", "Camera(width={})", "x = np.zeros({})"]).format(big)  # fmt: skip


def _nesting(rng: random.Random) -> str:
    opened, closed = rng.choice([("(", ")"), ("[", "]"), ("{1:", "}"), ("-", ""), ("not ", ""), ("f(", ")"),
                                 ("lambda: ", ""), ("1 if 1 else ", ""), ("9 ** ", ""), ("[*", "]"),
                                 ("len(", ")"), ("f'{", "}'"), ("a[", "]"), ("1 + ", ""),
                                 ("a.", "")])  # fmt: skip
    depth = rng.choice([3, 30, 59, 90, 190, 900, 20_000])
    return f"x = {opened * depth}1{closed * depth}"


def _attribute(rng: random.Random) -> str:
    chain = ".".join(rng.choice(SECRETS) for _ in range(rng.randint(1, 4)))
    return rng.choice(["x = {}.{}", "{}.{} = 1", "x = {}['{}']", "x = f'{{{}.{}}}'",
                       "x = '{{0.{1}}}'.format({0})", "x = getattr({}, '{}')"]
                      ).format(rng.choice(OWNERS), chain)  # fmt: skip


def _call(rng: random.Random) -> str:
    return rng.choice(["x = {}({})", "import os; os.system({1})", "from os import system; x = system({1})",
                       "@{0}\ndef f(): return {1}", "x = [{}({}) for i in range(3)]", "print({}({}))",
                       "x = lambda a={}({}): a", "def f(a: {}({})): pass", "x: {}({}) = 1"]).format(
        rng.choice(CALLS), rng.choice(COMMANDS)
    )  # fmt: skip


def _format(rng: random.Random) -> str:
    size = 10 ** rng.randint(1, 12)
    return rng.choice(["x = f'{{1:{}}}'", "x = f'{{1.5:.{}f}}'", "x = f'{{1:{{{}}}}}'", "x = '%{}d' % 1",
                       "x = '{{:{}}}'.format(1)", "x = str(2 ** 250) * {}", "x = f'{{E!r:>{}}}'"]
                      ).format(size)  # fmt: skip


def _bomb(rng: random.Random) -> str:
    size, depth = 10 ** rng.randint(1, 6), rng.randint(1, 4)
    loops = " ".join(f"for a{i} in range({size})" for i in range(depth))
    nested = "1"
    for i in range(depth):
        nested = f"[{nested} for b{i} in range({size})]"
    return rng.choice([f"x = [1 {loops}]", f"x = sum(1 {loops})", f"x = {{a0: 1 {loops}}}", f"x = {nested}",
                       f"x = [np.zeros({size}) {loops}]", f"x = [{{**common}} {loops}]",
                       f"x = [Plane() {loops}]", f"x = zip(*[range({size})] * {size})"])  # fmt: skip


def _growth(rng: random.Random) -> str:
    line = rng.choice(["x = x + x", "x = [x, x]", "x = [*x, *x]", "x = (lambda v: v + v)(x)", "x = x * 2",
                       "x.extend(x)", "x.append(x)", "x = sorted(x + x)", "x = [v for v in x] * 2",
                       "x = np.array([x, x])"])  # fmt: skip
    start = rng.choice(["[1]", "'a'", "(1,)", "np.ones(9)", "2", "{}", "[[]]"])
    return rng.choice([f"x = {start}\n" + f"{line}\n" * rng.randint(2, 60),
                       f"x = {start}\nfor i in range(9999):\n    {line}",
                       f"x = {start}\ndef f(x, n):\n    {line}\n    return f(x, n + 1)\nx = f(x, 0)",
                       f"x = {start}\ng = lambda n: g(n + 1) + g(n)\nx = g(0)"])  # fmt: skip


def case(rng: random.Random) -> str:
    """One random script."""
    draw = rng.random()
    if draw < 0.35:
        return mutated(rng)
    if draw < 0.7:
        return reworded(rng)
    return random_tokens(rng) if draw < 0.85 else hostile(rng)


def run(source: str, *, extract: bool) -> str:
    """``world``, or the code of the first error. Raises whatever the reader must not raise."""
    try:
        world = parse_script(source, extract=extract).world
    except DiagnosticsError as error:
        return next(d.code for d in error.diagnostics if d.severity == "error")
    except UserError:
        return "user-error"
    assert parse_script(emit(world)).world == world
    return "world"


def watch(forbidden: list[str]) -> None:
    """From now on remember what a script must never cause: code, files, processes, sockets, imports."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and arguments[0] == "<unknown>":
            return  # the parser looks for the line of a syntax error in the file of this name
        if event in ("exec", "open", "import") or event.startswith(
            ("os.", "subprocess.", "socket.", "shutil.")
        ):
            forbidden.append(f"{event} {str(arguments)[:80]}")

    sys.addaudithook(hook)


def fuzz(count: int, seed: int) -> dict[str, Any]:
    """Run ``count`` random scripts in this process, whose address space may grow by 300 MB at most."""
    for source in (*SEEDS, "x = wrld\n("):  # loads every module that reading may load
        run(source, extract=True)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MAX_GROWTH_MB * 1024**2
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    forbidden: list[str] = []
    failures: list[str] = []
    watch(forbidden)
    outcomes: Counter[str] = Counter()
    slowest = (0.0, "")
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        source, extract = case(rng), rng.random() < 0.3
        start = time.thread_time()
        try:
            outcomes[run(source, extract=extract)] += 1
        except Exception as error:  # noqa: BLE001 - anything at all is a finding
            failures.append(f"{seed}/{number}: {type(error).__name__}: {error!s:.200}\n{source[:600]}")
        slowest = max(slowest, (time.thread_time() - start, f"{seed}/{number}: {source[:400]}"))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return {"outcomes": outcomes, "failures": failures, "forbidden": forbidden[:5], "slowest": slowest,
            "grown_mb": grown}  # fmt: skip


def fuzz_in_a_process(count: int, seed: int) -> dict[str, Any]:
    """What :func:`fuzz` finds in a fresh process, and the files that it left behind."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-B",
            str(Path(__file__).resolve()),
            "--count",
            str(count),
            "--seed",
            str(seed),
        ]
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found: dict[str, Any] = json.loads(done.stdout)
        return {**found, "left": os.listdir(folder)}


def check(count: int, seed: int) -> None:
    """Assert that ``count`` random scripts stay within bounds."""
    found = fuzz_in_a_process(count, seed)
    assert found["failures"] == []
    assert found["forbidden"] == []
    assert found["left"] == []
    assert found["slowest"][0] < MAX_CPU_SECONDS, found["slowest"]
    assert found["grown_mb"] < MAX_GROWTH_MB
    assert sum(found["outcomes"].values()) == count
    assert found["outcomes"]["world"] > count / 100
    assert len(found["outcomes"]) > 5


def test_random_scripts_give_a_world_or_diagnostics() -> None:
    check(400, seed=0)


@pytest.mark.slow
@pytest.mark.skipif("FOURDCB_FUZZ_COUNT" not in os.environ, reason="set FOURDCB_FUZZ_COUNT=10000 to run it")
def test_many_random_scripts_give_a_world_or_diagnostics() -> None:
    check(int(os.environ["FOURDCB_FUZZ_COUNT"]), seed=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Read random scripts and print what happened.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(json.dumps(fuzz(options.count, options.seed)))
