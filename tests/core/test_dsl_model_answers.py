"""Answers as different language models write them: the harmless is read, the rest told to the column."""

from __future__ import annotations

import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import Diagnostic, DiagnosticsError
from fourdcb.world import World

Remark = tuple[str, int, int]  # code, line, column
PLANE = "Plane(friction=1, restitution=1)\n"
BALL = (
    'Object("ball", geometry="sphere", size=[0.1, 0.1, 0.1], mass=0.2, friction=0.4, restitution=0.8,\n'
    "       pos=[0, 0, 1], vel=[0.5, 0, 0], acc=[0, 0, -9.8])\n"
)
CANONICAL = "world = World(2.0, 30)\n" + BALL + PLANE

# Different texts of one and the same world, with the warnings that they deserve.
SAME_WORLD: dict[str, tuple[str, list[Remark]]] = {
    "plain": (CANONICAL, []),
    "fences and prose around": (
        f"Sure! Here is the script.\n\n```python\n{CANONICAL}```\n\nThe ball bounces **twice**.\n",
        [("extracted", 0, 0)],
    ),
    "two code blocks, the first is a shell command": (
        f"First install it:\n```bash\npip install fourdcb\n```\nThen:\n```py\n{CANONICAL}```\n",
        [("extracted", 0, 0)],
    ),
    "two Python blocks, the first is no world": (
        f"The motion:\n```python\nz = 1 - 4.9 * t ** 2\n```\nThe script:\n```python\n{CANONICAL}```\n",
        [("extracted", 0, 0)],
    ),
    "fence that is never closed": (f"```\n{CANONICAL}", [("extracted", 0, 0)]),
    "prose before and after, no fences": (
        f"Here's the world script:\n\n{CANONICAL}\nThis script reproduces a ball that bounces.\nEnjoy!\n",
        [("extracted", 0, 0)],
    ),
    "heading that looks like a comment": (
        f"# Analysis\n\nThe ball is red, I think.\n\n{CANONICAL}",
        [("extracted", 0, 0)],
    ),
    "imports": (
        "from __future__ import annotations\nfrom typing import List, Optional\nimport math\n"
        "from math import sqrt, pi as PI\nimport numpy as np\nfrom fourdcb.dsl import World, Object, Plane\n"
        + CANONICAL.replace("0.2,", "sqrt(0.04) * PI / math.pi,"),
        [],
    ),
    "numpy arrays": (
        "import numpy as np\nup = np.array([0, 0, 9.8], dtype=np.float32)\nv = np.zeros(3)\nv[0] = 0.5\n"
        "n = np.array([0.0, 0.0, 2.0])\nn = n / np.linalg.norm(n)\n"
        + CANONICAL.replace("[0, 0, -9.8]", "(-up).tolist()").replace("[0.5, 0, 0]", "v")
        .replace("Plane(", "Plane(normal=n, "),
        [],
    ),
    "helper function": (
        'def ball(name: str, z: float, *, bounce: "float | None" = 0.8) -> Object:\n'
        '    """A ball at a height."""\n'
        '    return Object(name, geometry="sphere", size=[0.1] * 3, mass=0.2, friction=0.4,\n'
        "                  restitution=bounce, pos=[0, 0, z], vel=[0.5, 0, 0], acc=[0, 0, -9.8])\n\n"
        "world = World(2.0, 30)\nball('ball', z=1)\n" + PLANE,
        [],
    ),
    "lambda": ("cube = lambda s, n=3: [s] * n\n" + CANONICAL.replace("[0.1, 0.1, 0.1]", "cube(0.1)"), []),
    "position and velocity": (
        CANONICAL.replace("pos=", "position=").replace("vel=", "velocity=").replace("acc=", "acceleration="),
        [],
    ),
    "dict of dicts and **": (
        'CONFIG = {"ball": {"geometry": "sphere", "size": [0.1, 0.1, 0.1], "mass": 0.2}}\n'
        'CONFIG["ball"].update({"friction": 0.4, "restitution": 0.8})\n'
        "motion = dict(pos=[0, 0, 1], vel=[0.5, 0, 0], acc=[0, 0, -9.8])\n"
        "world = World(**{'duration': 2.0, 'fps': 30})\n"
        "for name, config in CONFIG.items():\n    Object(name, **config, **motion)\n" + PLANE,
        [],
    ),
    "f-string name in a loop": (
        "kinds = ['ball']\n" + CANONICAL.replace('Object("ball"', "Object(f'{kinds[0]}'"),
        [],
    ),
    "type hints": (
        CANONICAL.replace("world =", "world: World =")
        .replace("Object(", "ball: list[Object] | None = Object(")
        .replace("Plane(", "floor: 'Plane' = Plane(name='plane', "),
        [],
    ),
    "main guard": (
        'if __name__ == "__main__":\n' + "".join("    " + line for line in CANONICAL.splitlines(True)),
        [],
    ),
    "main function": (
        "def main():\n" + "".join("    " + line for line in CANONICAL.splitlines(True))
        + "    return world\n\n\nworld = main()\n",
        [],
    ),
    "print calls": (
        CANONICAL + "print(f'{world!r:>{10}}', end='')\nfor i in range(3):\n    print(i, sep=chr(10))\n",
        [("ignored", 5, 1)],
    ),
    "world.objects.append and world.add_object": (
        CANONICAL.replace("Object(", "b = Object(") + "world.objects.append(b)\nworld.add_object(b)\n",
        [],
    ),
    "fields set later": (
        'world = World()\nworld.duration, world.fps = 2.0, 30\nball = Object("ball", "sphere")\n'
        "ball.size = (0.1, 0.1, 0.1)\nball.mass = 0.2\nball.friction = 0.4\nball.restitution = 0.8\n"
        "ball.pos = [0, 0, 0.5]\nball.pos[2] += 0.5\nball.velocity = [0.5, 0, 0]\nball.acc = [0, 0, -9.8]\n"
        + PLANE,
        [],
    ),
    "a loop over the world's own objects": (
        CANONICAL.replace(" friction=0.4, restitution=0.8,", "")
        + "for thing in world.objects:\n    thing.friction = 0.4\n    thing.restitution = 0.8\n",
        [],
    ),
    "tuples for lists": (CANONICAL.replace("[", "(").replace("]", ")"), []),
    "everything in one expression": (
        "world = World(2.0, 30, objects=[" + BALL.strip() + "], planes=[" + PLANE.strip() + "])\n",
        [],
    ),
    "Chinese comments and names": (
        "# 世界：一个球落到桌面上\n世界时长 = 2.0  # 秒\n" + CANONICAL.replace("2.0", "世界时长"),
        [],
    ),
    "semicolons, Windows line ends": (
        CANONICAL.replace("30)\n", "30); x = 1\n").replace("\n", "\r\n"),
        [],
    ),
    "tabs": (
        "for _ in range(1):\n" + "".join("\t" + line for line in CANONICAL.splitlines(True)),
        [],
    ),
}  # fmt: skip


def found(diagnostics: tuple[Diagnostic, ...]) -> list[Remark]:
    return [(d.code, d.line or 0, d.column or 0) for d in diagnostics]


@pytest.mark.parametrize("style", SAME_WORLD)
def test_harmless_styles_say_the_same_world(style: str) -> None:
    source, warnings = SAME_WORLD[style]
    script = parse_script(source, extract=True)
    expected: World = parse_script(CANONICAL).world
    assert script.world == expected
    assert found(script.diagnostics) == warnings


# Centimetres, degrees, grams …: legal, so only warnings, each at the value.
DOUBTFUL: dict[str, tuple[str, list[Remark]]] = {
    "centimetres": (CANONICAL.replace("[0.1, 0.1, 0.1]", "[10, 10, 10]").replace("[0, 0, 1]", "[0, 0, 100]"),
                    [("doubtful-unit", 2, 40), ("doubtful-unit", 2, 59)]),
    "grams": (CANONICAL.replace("mass=0.2", "mass=200"), [("doubtful-unit", 2, 62)]),
    "centimetres per second squared": (CANONICAL.replace("-9.8", "-981"), [("doubtful-acc", 3, 44)]),
    "Y up": (CANONICAL.replace("[0, 0, -9.8]", "[0, -9.8, 0]"), [("doubtful-acc", 3, 44)]),
    "radians for degrees": (
        CANONICAL.replace("pos=", "euler_deg=[0, 1.5708, 0], pos=") + "Camera(fov_y_deg=1.2)\n",
        [("doubtful-unit", 3, 18), ("doubtful-unit", 5, 18)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", DOUBTFUL)
def test_mistaken_units_are_doubted(mistake: str) -> None:
    source, warnings = DOUBTFUL[mistake]
    assert found(parse_script(source).diagnostics) == warnings


# What is wrong or refused, with every place and a word of each message.
WRONG: dict[str, tuple[str, list[Remark], str]] = {
    "wrong keyword names": (
        CANONICAL.replace("mass=", "weight=").replace("friction=0.4", "frictoin=0.4"),
        [("unknown-field", 2, 57), ("unknown-field", 2, 69)], "Did you mean 'friction'?",
    ),
    "strings for numbers": (
        CANONICAL.replace("0.2,", '"0.2",').replace("[0, 0, 1]", '[0, 0, "1 m"]'),
        [("type", 2, 62), ("type", 3, 19)], "Write 0.2 without quotes.",
    ),
    "missing acc": (CANONICAL.replace(", acc=[0, 0, -9.8]", ""), [("missing-field", 2, 1)], "m/s²"),
    "colours to 255": (
        CANONICAL.replace("mass=", "color=[255, 0, 0], mass="), [("out-of-range", 2, 64)], "divide by 255",
    ),
    "setters": (
        CANONICAL.replace("Object(", "b = Object(") + "b.set_velocity([1, 0, 0])\n",
        [("unknown-field", 5, 1)], "Write thing.vel = …",
    ),
    "a class for the settings": (
        "from dataclasses import dataclass\n\n@dataclass\nclass Config:\n    duration: float = 2.0\n\n"
        + CANONICAL.replace("2.0", "Config().duration"),
        [("refused", 1, 1), ("refused", 4, 1)], "classes are not allowed",
    ),
    "files and other modules": (
        "import json, os\nwith open('x.json') as f:\n    data = json.load(f)\n" + CANONICAL,
        [("refused", 1, 1), ("refused", 2, 1)], "A script may import math",
    ),
    "JSON instead of code": (
        '{"world": {"duration": 2.0},\n "objects": [{"name": "ball", "fixed": true}]}',
        [("not-a-script", 1, 1)], "this is JSON",
    ),
    "JSON in a fence": (
        'Here:\n```json\n{"objects": []}\n```\n',
        [("not-a-script", 3, 1), ("extracted", 0, 0)], "this is JSON",
    ),
    "tabs and spaces mixed": (
        "for i in range(2):\n        x = 1\n\ty = 2\n" + CANONICAL, [("syntax", 3, 1)], "tabs and spaces",
    ),
    "full-width punctuation": (
        CANONICAL.replace('"ball", geometry', '"ball"， geometry'), [("syntax", 2, 14)],
        "Write , instead of ，.",
    ),
    "curly quotes": (CANONICAL.replace('"ball"', "“ball”"), [("syntax", 2, 8)], 'Write " instead of “.'),
    "the world under another name": (
        CANONICAL.replace("world =", "scene ="), [("no-world", 1, 9)], "Call 'scene' 'world'.",
    ),
    "the world inside a function": (
        "def main():\n    world = World()\n\nmain()\n", [("no-world", 2, 13)], "return it",
    ),
    "radius and scalar size": (
        CANONICAL.replace("size=[0.1, 0.1, 0.1]", "radius=0.05")
        + 'Object("b", "box", size=0.1, pos=[1, 0, 1], vel=[0, 0, 0], acc=[0, 0, 0])\n',
        [("unknown-field", 2, 35), ("type", 5, 25)], "Write size=[0.1, 0.1, 0.1].",
    ),
    "capital letters and wrong shapes": (
        CANONICAL.replace('"sphere"', '"Sphere"'), [("geometry", 2, 25)], "Did you mean 'sphere'?",
    ),
    "constructors of another library": (
        'world = World()\nball = Sphere(radius=0.1)\nx = Object("x", "box", color="red", rot=[0, 0, 90],'
        " pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, 0])\n",
        [("undefined-name", 2, 8), ("type", 3, 30), ("type", 3, 41)],
        'Write Object("name", geometry="sphere", …).',
    ),
    "cut off in the middle": (
        CANONICAL[:150], [("syntax", 3, 27)], "was never closed",
    ),
    "simulation calls": (
        CANONICAL + "world.simulate(dt=0.01)\n", [("unknown-field", 5, 1)], "the replay runs it",
    ),
    "percent formatting": (
        CANONICAL.replace('"ball"', '"ball%d" % 1'), [("type", 2, 8)], "use an f-string",
    ),
    "while loop": (
        "t = 0\nwhile t < 3:\n    t += 1\n" + CANONICAL, [("refused", 2, 1)], "use 'for' over range",
    ),
    "prose only": ("I cannot watch videos, so I am unable to answer.", [("syntax", 1, 3)], "syntax error"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG)
def test_mistakes_are_told_to_the_column(mistake: str) -> None:
    source, remarks, words = WRONG[mistake]
    with pytest.raises(DiagnosticsError) as caught:
        parse_script(source, extract=True)
    assert found(caught.value.diagnostics) == remarks
    assert words in str(caught.value)


# Written by a reader of `fourdcb schema --format prompt` who knew nothing else.
FROM_THE_PROMPT = (
    """import math
world = World(duration=2.5, fps=30)
g = [0, 0, -9.8]
floor = Plane("floor", friction=1.0, restitution=1.0, material="oak")
for i in range(5):
    Object(f"domino_{i}", geometry="box", size=[0.02, 0.08, 0.16], mass=0.12, friction=0.4, restitution=0.1,
           pos=[0.1 * i, 0.0, 0.08], vel=[0, 0, 0], ang_vel=[0, 2.0 if i == 0 else 0, 0], acc=g,
           material="plastic", base_color=[0.9, 0.1 * i, 0.1])
key = DirectionalLight("key", direction=[-0.3, 0.5, -0.8], intensity=2.5)
camera = Camera(pos=[0.2, -1.5, 0.6], target=[0.2, 0.0, 0.1], fov_y_deg=35, width=320, height=240)
""",
    """import math
world = World(duration=3.0, fps=60, ambient=0.05)
tilt = math.radians(25)
up = [-math.sin(tilt), 0, math.cos(tilt)]
ramp = Plane("ramp", normal=up, offset=0.0, friction=1.0, restitution=1.0, material="steel")
crate = Object("crate", geometry="box", size=[0.2, 0.2, 0.1], mass=2.0, friction=0.3, restitution=0.1,
               pos=[0.051 * c for c in up], euler_deg=[0, -25, 0], vel=[0, 0, 0], acc=[0, 0, -9.8],
               material=Material("painted crate", base_color=[0.2, 0.3, 0.7], roughness=0.6))
lamp = PointLight("lamp", pos=[0.5, -1.0, 1.5], intensity=8.0, intensity_curve=[1.0, 0.5, 1.0])
camera = Camera(pos=[0.0, -2.5, 0.8], target=[0, 0, 0], fov_y_deg=45)
""",
    """world = World(duration=2.0, fps=30)
table = Plane("table", friction=1.0, restitution=1.0, base_color=[0.1, 0.4, 0.2], roughness=0.9)
def ball(name, x, y, speed, color):
    return Object(name, geometry="sphere", size=[0.057] * 3, mass=0.17, friction=0.2, restitution=0.95,
                  rolling_friction=0.0005, pos=[x, y, 0.0285], vel=[speed, 0, 0], acc=[0, 0, -9.8],
                  base_color=color, roughness=0.1)
cue = ball("cue", -0.6, 0.0, 1.5, [0.95, 0.95, 0.9])
red = ball("red", 0.0, 0.01, 0.0, [0.8, 0.05, 0.05])
pusher = Object("pusher", geometry="box", size=[0.05, 0.3, 0.1], friction=0.3, restitution=0.5,
                pos=[1, 0, 0.06], vel=[0, 0, 0], acc=[0, 0, 0],
                trajectory=[(0.0, [1, 0, 0.06]), (2.0, [0.7, 0, 0.06])])
panel = AreaLight("panel", pos=[0, 0, 1.5], direction=[0, 0, -1], size=0.6, intensity=9.0,
                  time_range=[0.0, 1.5])
camera = Camera(pos=[0, -1.2, 1.0], target=[0, 0, 0], fov_y_deg=50)
""",
)


@pytest.mark.parametrize("source", FROM_THE_PROMPT, ids=["dominoes", "ramp", "billiards"])
def test_the_prompt_is_enough_to_write_sound_scripts(source: str) -> None:
    assert parse_script(source).diagnostics == ()
