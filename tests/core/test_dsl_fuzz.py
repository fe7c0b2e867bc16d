"""Mutated scripts: the reader answers with a world or with diagnostics, never with anything else."""

from __future__ import annotations

import os
import random

import pytest

from fourdcb.dsl import emit, parse_script
from fourdcb.errors import Diagnostic, DiagnosticsError
from fourdcb.world import World

SEEDS = (
    """import math
import numpy as np
world = World(duration=3.0, fps=30)
E = 0.5
common = dict(vel=[0.4, 0.0, 0.0], acc=[0.0, 0.0, -9.8])
cup = Object("cup", geometry="cylinder", size=[0.08, 0.08, 0.10], mass=0.15, friction=0.3, restitution=E,
             pos=[0.0, 0.0, 0.75], material="ceramic", **common)
def place(i, r=0.3):
    return [r * math.cos(i), r * math.sin(i), 0.5 + 0.1 * i]
balls = []
for i, name in enumerate(["a", "b", "c"]):
    balls.append(Object(f"ball_{name}", geometry="sphere", size=[0.1] * 3, pos=place(i), **common))
cup.vel[0] += 0.1
balls[0].restitution = max(0.1, min(E, 0.9))
""",
    """world = World()
table = Plane(normal=[0.0, 0.0, 1.0], offset=0.0, restitution=0.2)
sun = DirectionalLight(direction=[-0.5, -0.3, -0.8], intensity_curve=[1.0, 0.98, 0.95])
lamp = Light("lamp", pos=(0, 0, 2), intensity=5 if table.offset == 0 else 3)
camera = Camera(pos=[1.2, -1.6, 1.1], target=[0, 0, 0.4], fov_y_deg=40, width=256, height=256)
world.add(Object(name="box", geometry="box", pos=[x / 10 for x in range(3)], vel=(0, 0, 0), acc=(0, 0, -9.8),
                 trajectory=[(0, [0, 0, 1]), (1.5, [1, 0, 1], [1, 0, 0, 0])], base_color=[1, 0, 0]))
world["box"].mass = 2 ** 3 // 3 % 5
""",
)
TOKENS = (
    "0", "-1", "1e309", "10**9", "None", "True", "[]", "()", "{}", "world", "cup", "Object", "World",
    ",", "(", ")", "[", "]", "{", "}", ":", "=", "==", ".", "*", "**", "+", "-", "/", "%", "\"", "'",
    "f'{x}'", "#", "\\", "\n", "    ", "for i in range(99):", "if", "else", "lambda", "while", "def",
    "return", "import", "np.array", "math.pi", "pos", "vel", "\u00e9", "\0", "\t", "\r", "\ufeff",
    "\u2028", "..", "...", "__", "@", ":=", "<<", "not", "in", "is", "balls",
)  # fmt: skip


def mutated(source: str, rng: random.Random) -> str:
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


def outcome(source: str) -> tuple[World | None, tuple[Diagnostic, ...]]:
    try:
        script = parse_script(source)
    except DiagnosticsError as error:
        return None, error.diagnostics
    return script.world, script.diagnostics


@pytest.mark.parametrize("block", range(4))
def test_mutated_scripts_give_a_world_or_diagnostics(block: int) -> None:
    count = int(os.environ.get("FOURDCB_FUZZ_COUNT", "400")) // 4
    rng = random.Random(block)
    for _ in range(count):
        source = mutated(rng.choice(SEEDS), rng)
        world, diagnostics = outcome(source)
        if world is None:
            assert any(d.severity == "error" for d in diagnostics), source
        else:
            assert parse_script(emit(world)).world == world, source
