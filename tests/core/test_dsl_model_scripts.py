"""Scripts of the kinds that language models write: valid ones are read, near misses are explained."""

from __future__ import annotations

import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import DiagnosticsError
from fourdcb.world import World

VALID: dict[str, tuple[str, int, int, int]] = {
    "chatty": ("""Certainly! Looking at the video, a red ball falls onto a table and bounces.

```python
# World set-up
world = World(duration=2.0, fps=30)

# The ball, about 10 cm across
ball = Object(
    name="ball",
    geometry="sphere",
    size=[0.1, 0.1, 0.1],
    mass=0.2,
    friction=0.4,
    restitution=0.8,
    pos=[0.0, 0.0, 1.0],
    vel=[0.0, 0.0, 0.0],
    acc=[0.0, 0.0, -9.81],
    material="rubber",
    color=[0.9, 0.1, 0.1],
)
table = Plane(name="table", normal=[0, 0, 1], offset=0.0, restitution=0.9, friction=0.8)
```

This should reproduce the motion. Let me know if you need changes!
""", 1, 1, 1),
    "constants and helpers": ("""from fourdcb.dsl import *
import numpy as np
import math

GRAVITY = np.array([0.0, 0.0, -9.8])
RADIUS = 0.05

def make_ball(name, position, speed, angle_deg):
    angle = np.deg2rad(angle_deg)
    velocity = [speed * math.cos(angle), speed * math.sin(angle), 0.0]
    return Object(name, geometry="sphere", size=[2 * RADIUS] * 3, mass=0.17, friction=0.2,
                  restitution=0.95, pos=position, vel=velocity, acc=GRAVITY)

world = World(duration=2.5, fps=60)
cue = make_ball("cue", [-0.5, 0.0, RADIUS], 1.5, 0)
target = make_ball("target", np.array([0.3, 0.02, RADIUS]), 0.0, 0)
felt = Plane(normal=np.array([0, 0, 1]), offset=0, friction=0.5, restitution=0.5, base_color=[0.1, 0.4, 0.2])
""", 2, 1, 1),
    "stack in a loop": ("""world = World()
size = 0.1
for level in range(4):
    world.add(Object(f"block_{level}", geometry="box", size=[size, size, size], mass=0.5, friction=0.6,
                     restitution=0.05, pos=[0, 0, size / 2 + level * size], vel=[0, 0, 0], acc=[0, 0, -9.8]))
ground = Plane()
""", 4, 1, 1),
    "domino comprehension": ("""world = World(3.0, 30)
xs = [0.12 * i for i in range(6)]
dominoes = [Object(f"domino{i:02d}", geometry="box", size=(0.02, 0.08, 0.16), pos=(x, 0, 0.08), vel=(0, 0, 0),
                   acc=(0, 0, -9.8), mass=0.05, friction=0.5, restitution=0.1) for i, x in enumerate(xs)]
dominoes[0].ang_vel = [0, 2.5, 0]
floor = Plane(normal=(0, 0, 1), offset=0)
""", 6, 1, 1),
    "shared keyword dict": ("""world = World(duration=1.5, fps=24)
base = {"vel": [0, 0, 0], "acc": [0, 0, -9.8], "geometry": "cylinder", "size": [0.06, 0.06, 0.12]}
steel = Material("brushed steel", base_color=[0.6, 0.6, 0.65], metallic=1.0, roughness=0.35)
for name, x, mass in [("left", -0.2, 0.3), ("right", 0.2, 0.6)]:
    Object(name, pos=[x, 0.0, 0.06], mass=mass, material=steel, **base)
Plane(restitution=0.1)
""", 2, 1, 1),
    "incline": ("""import math
world = World(duration=2.0)
angle = math.radians(20)
ramp = Plane("ramp", normal=[-math.sin(angle), 0, math.cos(angle)], offset=0.0, friction=0.3, restitution=0.0)
slider = Object("slider", geometry="box", size=[0.1, 0.1, 0.05], mass=1.0, friction=1.0, restitution=0.0,
                pos=[0.025 * -math.sin(angle), 0, 0.025 * math.cos(angle)], vel=[0, 0, 0], acc=[0, 0, -9.8],
                euler_deg=[0, -20, 0])
""", 1, 1, 1),
    "lights": ("""world = World(duration=2, fps=30, ambient=0.05, background=[0.2, 0.2, 0.25], exposure=1.1)
key = DirectionalLight(dir=[-0.4, -0.2, -1.0], intensity=2.5, color=[1.0, 0.95, 0.9])
fill = PointLight(pos=[1, 1, 2], intensity=4.0, intensity_curve=[1, 0.8, 0.6, 0.4])
flash = Light("flash", pos=[0, 0, 1.5], dir=[0, 0, -1], size=0.3, intensity=12, time_range=[0.5, 0.7])
Object("egg", geometry="capsule", size=[0.05, 0.05, 0.09], pos=[0, 0, 0.3], vel=[0, 0, 0], acc=[0, 0, -9.8])
""", 1, 0, 3),
    "keyframed pusher": ("""world = World(duration=2.0, fps=30)
pusher = Object("pusher", geometry="box", size=[0.02, 0.2, 0.1], mass=1.0, pos=[-0.4, 0, 0.05], vel=[0, 0, 0],
                acc=[0, 0, 0],
                trajectory=[(t, [-0.4 + 0.5 * t, 0, 0.05], [1, 0, 0, 0]) for t in [0.0, 1.0, 2.0]])
puck = Object("puck", geometry="cylinder", size=[0.08, 0.08, 0.03], mass=0.1, friction=0.1, restitution=0.3,
              pos=[0, 0, 0.015], vel=[0, 0, 0], acc=[0, 0, -9.8], material="plastic")
Plane(friction=0.5, restitution=0.5)
""", 2, 1, 1),
    "everything in World": ("""
ball = Object("ball", geometry="sphere", pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8])
floor = Plane("floor")
sun = DirectionalLight(name="sun", direction=[0, 0, -1])
cam = Camera(pos=[2, 0, 1], look_at=[0, 0, 0.5], fov=45, width=320, height=240)
world = World(duration=1.0, fps=30, objects=[ball], planes=[floor], lights=[sun], camera=cam)
""", 1, 1, 1),
    "built up step by step": ("""world = World()
world.duration = 2.0
world.fps = 30
cup = Object("cup", geometry="cylinder")
cup.size = [0.08, 0.08, 0.1]
cup.pos = [0, 0, 0.05]
cup.vel = [0.5, 0, 0]
cup.acc = [0, 0, -9.8]
cup.material = "porcelain"
world.add(cup)
world.camera = Camera(pos=[1, -1, 1], target=[0, 0, 0])
""", 1, 0, 1),
    "main guard and annotations": ("""G: float = -9.8

def build(count: int = 2) -> list:
    made: list = []
    for i in range(count):
        if i == 5:
            break
        x = i * 0.3 if i % 2 == 0 else -i * 0.3
        made.append(Object("b" + str(i), "box", pos=[x, 0, 0.2], vel=[0, 0, 0], acc=[0, 0, G]))
    return made

if __name__ == "__main__":
    world = World()
    world.add(*build(3))
""", 3, 0, 1),
    "mesh": ("""world = World(duration=1.0)
teapot = Object("teapot", mesh="assets/teapot.obj", mass=0.8,
                pos=[0, 0, 0.2], vel=[0, 0, 0], acc=[0, 0, -9.8],
                base_color=Texture("assets/glaze.png"), roughness=0.2, normal_map="assets/glaze_normal.png")
""", 1, 0, 1),
}  # fmt: skip


@pytest.mark.parametrize("kind", VALID)
def test_scripts_that_models_write_are_read(kind: str) -> None:
    source, objects, planes, lights = VALID[kind]
    world: World = parse_script(source, extract=True).world
    assert (len(world.objects), len(world.planes), len(world.lights)) == (objects, planes, lights)


NEAR_MISSES: dict[str, tuple[str, str]] = {
    "numpy random": ("import numpy as np\nworld = World()\nx = np.random.rand()", "np.random is not allowed"),
    "other engine": ("import pybullet as p\nworld = World()", "import of 'pybullet' is not allowed"),
    "simulation loop": (
        "world = World()\nwhile world.t < 3:\n    world.step()",
        "'while' loops are not allowed",
    ),
    "run": ("world = World()\nworld.run()", "only describes its world"),
    "gravity on the world": ("world = World(gravity=[0, 0, -9.8])", "Gravity is stated per object"),
    "scene instead of world": ("scene = World()", "needs a top-level 'world'"),
    "no acceleration": (
        "world = World()\nObject('a', geometry='box', pos=[0, 0, 1], vel=[0, 0, 0])",
        "missing required field 'acc' (expected 3 numbers, m/s²)",
    ),
    "radius": (
        "world = World()\nObject('a', 'sphere', radius=0.1, pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, 0])",
        "Sizes are full extents",
    ),
    "prose only": ("I cannot see a video, so I cannot answer.", "Python syntax error"),
    "cut off": ("world = World()\nball = Object('a', geometry='sphere', pos=[0, 0,", "was never closed"),
}


@pytest.mark.parametrize("kind", NEAR_MISSES)
def test_near_misses_are_explained(kind: str) -> None:
    source, words = NEAR_MISSES[kind]
    with pytest.raises(DiagnosticsError) as caught:
        parse_script(source, extract=True)
    assert words in str(caught.value)
