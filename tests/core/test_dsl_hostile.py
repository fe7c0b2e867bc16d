"""Hostile scripts end in one clear error, in bounded time and memory, in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import DiagnosticsError

BOX = "Object('c', 'box', pos=[0, 0, 0], vel=[0, 0, 0], acc=[0, 0, 0]"
HOSTILE: dict[str, str] = {
    "power tower": "x = 10 ** 10 ** 10",
    "power chain": "x = " + " ** ".join(["9"] * 200),
    "long text": "x = 'a' * 10 ** 9",
    "long list": "x = [0] * 10 ** 9",
    "doubling list": "x = [1]\n" + "x = x + x\n" * 60,
    "doubling text": "x = 'a'\n" + "x = x + x\n" * 60,
    "comprehension bomb": "x = [[[1 for a in range(999)] for b in range(999)] for c in range(999)]",
    "generator bomb": "x = sum(i for i in range(9000) for j in range(9000))",
    "endless recursion": "def f(n):\n    return f(n + 1)\nx = f(0)",
    "mutual recursion": "def f(n): return g(n)\ndef g(n): return f([n])\nx = f(1)",
    "exponential recursion": "def f(n):\n    return 1 if n < 2 else f(n - 1) + f(n - 2)\nx = [f(15)"
    + ", f(15)" * 20
    + "]",
    "a million parentheses": "x = " + "(" * 1_000_000,
    "nested parentheses": "x = " + "(" * 90_000 + "1" + ")" * 90_000,
    "nested brackets": "x = " + "[" * 150 + "]" * 150,
    "signs": "x = " + "-" * 90_000 + "1",
    "nots": "x = " + "not " * 50_000 + "1",
    "powers": "x = " + "9 ** " * 40_000 + "1",
    "lambdas": "x = " + "lambda: " * 30_000 + "1",
    "sums": "x = " + "1+" * 49_000 + "1",
    "attributes": "x = a" + ".b" * 49_000,
    "calls": "x = f" + "()" * 49_000,
    "conditions": "x = " + "1 if 1 else " * 20_000 + "1",
    "comparisons": "x = " + "1<" * 49_000 + "1",
    "many entries": "x = [" + "1," * 49_000 + "]",
    "many statements": "x = 1\n" * 33_000,
    "many faults": "x = zz\n" * 30_000,
    "many names and faults": "".join(f"name{i} = 1\n" for i in range(12_000)) + "x = nime77\n" * 90,
    "two megabytes": "x = 1\n" * 350_000,
    "long line": "x = '" + "a" * 400_000 + "'",
    "deep blocks": "".join(" " * i + "if 1:\n" for i in range(98)) + " " * 98 + "x = 1",
    "nul byte": "x = 1\0",
    "format width": "x = 1\ny = f'{x:1000000000}'",
    "format precision": "x = 1.0\ny = f'{x:.1000000000f}'",
    "computed format": "x = 9\ny = f'{x:{x}}'",
    "shift": "x = 1 << 10 ** 9",
    "range": "for i in range(10 ** 12):\n    pass",
    "huge range": "x = list(range(10 ** 30))",
    "nested loops": "for i in range(9999):\n    for j in range(9999):\n        x = i * j",
    "linspace": "import numpy as np\nx = np.linspace(0, 1, 10 ** 9)",
    "array broadcast": "import numpy as np\na = np.array([[i] for i in range(9000)])\n"
    "x = a * np.linspace(0, 1, 9000)",
    "nested array": "import numpy as np\na = [0] * 5000\nx = np.array([a] * 5000)",
    "array copies": "import numpy as np\na = np.zeros(9999)\nx = [a.copy() for i in range(9999)]",
    "array signs": "import numpy as np\na = np.zeros(9999)\nx = [-a for i in range(9999)]",
    "array slices": "import numpy as np\na = np.zeros(9999)\nx = [a[0:] for i in range(9999)]",
    "array functions": "import numpy as np\na = np.zeros(9999)\nx = [np.sin(a) for i in range(9999)]",
    "dict copies": "d = {i: i for i in range(9999)}\nx = [dict(d) for i in range(9999)]",
    "dict updates": "d = {i: i for i in range(9999)}\nfor i in range(9999):\n    e = {}\n    e.update(d)",
    "endless lambda": "f = lambda n: f(n + 1)\nx = f(0)",
    "lambda tower": "f = lambda n: 1\n" + "f = (lambda g: lambda n: g(n) + g(n))(f)\n" * 40 + "x = f(1)",
    "join": "x = ','.join(['a'] * 1000)",
    "digits": "x = " + "9" * 100_000,
    "hexadecimal": "x = 0x" + "f" * 300_000,
    "text to integer": "x = int('9' * 4000)",
    "integer to text": "x = 2 ** 255\ny = str(x * x)",
    "float to integer": "x = int(1e308)",
    "rounding": "x = round(5, -10 ** 9)",
    "deep equality": "a = [0] * 9999\n" + "a = [a] * 9999\n" * 8 + "x = a == [a[0]] * 9999",
    "self reference": "a = []\na.append(a)\nx = a == [a]",
    "slow equality": "a = [0] * 9999\nfor i in range(9999):\n    x = a == [0] * 9999",
    "tuple keys": "t = ()\n" + "t = (t, t)\n" * 60 + "d = {t: 1}",
    "zip": "x = zip(*[[1] * 9999] * 9999)",
    "attribute trick": "x = ().__class__.__bases__[0].__subclasses__()",
    "format trick": "x = '{0.__class__}'.format(1)",
    "getattr": "x = getattr(1, 'a')",
    "too many objects": "for i in range(9999):\n    " + BOX.replace("'c'", "f'c{i}'") + ")",
    "endless world": "world.duration = 1e300",
    "fast world": "world.fps = 1e300",
    "huge image": "Camera(width=10 ** 9, height=10 ** 9)",
    "huge clip": "world.duration = 600\nworld.fps = 1000\nCamera(width=4096, height=4096)",
    "lone surrogate": "x = '\\ud800'\n" + BOX.replace("'c'", "x") + ")",
    "endless name": BOX.replace("'c'", "'a' * 4000") + ")",
    "not a number": f"{BOX}, mass=float('nan'))",
    "many lights": "for i in range(99):\n    PointLight()",
    "big keyframes": f"{BOX}, trajectory=[(i, [i, 0, 0]) for i in range(9999)] + [1])",
}  # fmt: skip
_CHILD = """
import json, resource, sys, time
from fourdcb.dsl import parse_script
from fourdcb.errors import DiagnosticsError

parse_script("world = World()")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
results = {}
for name, source in json.load(sys.stdin).items():
    start = time.process_time()
    try:
        parse_script("world = World()\\n" + source)
        outcome = None
    except DiagnosticsError as error:
        outcome = str(error)[:400]
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    results[name] = [outcome, time.process_time() - start, grown / 1024]
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, tuple[str | None, float, float]]:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], input=json.dumps(HOSTILE), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, tuple[str | None, float, float]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_script_ends_in_a_clear_error(
    name: str, outcomes: dict[str, tuple[str | None, float, float]]
) -> None:
    message, _, grown_mb = outcomes[name]
    assert message is not None
    assert "Traceback" not in message
    assert message.startswith("<script>")
    assert grown_mb < 200  # of the process, over all scripts so far


def test_hostile_scripts_do_not_end_a_thread_with_a_small_stack() -> None:
    child = (
        "import json, sys, threading\nfrom fourdcb.dsl import parse_script\n"
        "from fourdcb.errors import DiagnosticsError\n"
        "def go():\n    for source in json.load(sys.stdin):\n"
        "        try:\n            parse_script(source)\n        except DiagnosticsError:\n            pass\n"
        "threading.stack_size(512 * 1024)\nthread = threading.Thread(target=go)\n"
        "thread.start()\nthread.join()\nprint('fine')\n"
    )
    nested = ["nested parentheses", "nested brackets", "signs", "nots", "powers", "lambdas", "sums", "calls",
              "attributes", "conditions", "comparisons", "deep blocks", "power chain"]  # fmt: skip
    sources = [HOSTILE[name] for name in nested] + [
        "x = " + "-" * 499 + "1",
        "x = " + "1 if 1 else " * 999 + "1",
    ]
    done = subprocess.run(
        [sys.executable, "-c", child], input=json.dumps(sources), capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr[-2000:]


def test_the_time_budget_ends_a_slow_script(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr("fourdcb.dsl.budget.time.thread_time", lambda: float(next(clock)))
    with pytest.raises(DiagnosticsError, match="takes more than"):
        parse_script("world = World()\nfor i in range(5000):\n    x = i * i + 1\n")


def test_the_number_of_messages_is_bounded() -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse_script("\n".join(f"import a{i}" for i in range(5000)))
    assert len(caught.value.diagnostics) <= 101
    assert any("more errors are not shown" in d.message for d in caught.value.diagnostics)
