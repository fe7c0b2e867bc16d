"""The language described: grammar and fields, generated from the rules that the reader itself uses."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from fourdcb.dsl.budget import Budget
from fourdcb.dsl.emit import text_of
from fourdcb.dsl.entities import Kind
from fourdcb.dsl.library import BUILTIN_NAMES, MATH_NAMES, NUMPY_NAMES
from fourdcb.dsl.rules import REQUIRED, SURFACE_FIELDS, FieldRule, class_of, rules_of, spellings
from fourdcb.world import Material
from fourdcb.world.contact import DEFAULT_FRICTION, DEFAULT_RESTITUTION
from fourdcb.world.model import Geometry
from fourdcb.world.presets import material_names

DESCRIBED: tuple[Kind, ...] = (
    "World",
    "Object",
    "Plane",
    "Fluid",
    "DirectionalLight",
    "PointLight",
    "AreaLight",
    "Camera",
    "Material",
)
EXAMPLE = """\
world = World(duration=3.0, fps=30)
cup = Object("cup", geometry="cylinder", size=[0.08, 0.08, 0.10], mass=0.15, friction=0.3, restitution=0.2,
             pos=[0.0, 0.0, 0.05], vel=[0.4, 0.0, 0.0], acc=[0.0, 0.0, -9.8], material="ceramic")
table = Plane(normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=0.9, material="oak")
sun = DirectionalLight(direction=[-0.5, -0.3, -0.8], intensity=3.0, intensity_curve=[1.0, 0.98, 0.95])
camera = Camera(pos=[1.2, -1.6, 1.1], target=[0.0, 0.0, 0.3], fov_y_deg=40, width=256, height=256)
"""
PROMPT_EXAMPLE = """\
# A ceramic cup slides over a table, falls and bounces; a ball waits on the floor. The light dims.
world = World(duration=3.0, fps=30)
g = [0.0, 0.0, -9.8]
table = Object("table", geometry="box", size=[0.8, 0.5, 0.04], pos=[0.0, 0.0, 0.48], vel=[0, 0, 0],
               acc=[0, 0, 0], fixed=True, friction=1.0, restitution=1.0, material="oak")
cup = Object("cup", geometry="cylinder", size=[0.08, 0.08, 0.10], mass=0.30, friction=0.25, restitution=0.4,
             pos=[0.0, 0.0, 0.55], vel=[1.8, 0.0, 0.0], ang_vel=[0.0, 0.0, 2.0], acc=g, material="ceramic")
ball = Object("ball", geometry="sphere", size=[0.12, 0.12, 0.12], mass=0.4, friction=0.5, restitution=0.7,
              rolling_friction=0.001, pos=[1.1, 0.0, 0.06], vel=[0, 0, 0], acc=g,
              material="rubber", base_color=[0.8, 0.1, 0.1])
floor = Plane("floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0, material="concrete")
sun = DirectionalLight("sun", direction=[-0.5, -0.3, -0.8], intensity=3.0, intensity_curve=[1.0, 0.9, 0.6])
camera = Camera(pos=[1.2, -2.2, 1.2], target=[0.3, 0.0, 0.3], fov_y_deg=40, width=256, height=256)
"""
_MEANINGS = (
    "SI units, degrees only in fields that end in _deg. World right-handed, Z up. Quaternions (w, x, y, z).",
    "Sizes are full extents along x, y, z. pos is the centre of the bounding box, or a mesh file's "
    "own origin.",
    "acc is the field that acts on this object, [0, 0, -9.8] for gravity; an object with [0, 0, 0] "
    "does not fall.",
    "A pair's friction and restitution are the products of the two bodies' values. A body that states"
    " none takes its material's; else 1 when it is static or when some static body states it, else "
    f"friction {DEFAULT_FRICTION:g}, restitution {DEFAULT_RESTITUTION:g}.",
    "mass=0 or fixed=True is static. trajectory=[(t, [x, y, z], [w, x, y, z]), …] moves an object "
    "along keyframes.",
    "A light's direction is the way the light travels. intensity_curve multiplies intensity, its "
    "entries spread evenly over the clip and interpolated linearly; outside time_range the light is "
    "off. direction_curve and position_curve move a light: entries spread evenly over time_range, else "
    "the clip.",
    "Colours are sRGB in 0 … 1. Roughness is perceptual (alpha = roughness²).",
    'Things join the world by being constructed; world.add(…) is allowed. world["cup"] finds a thing '
    "by name.",
    "A field may be set later: cup.restitution = 0.35, cup.vel[0] = 0.4.",
    "Light(…) with dir is a DirectionalLight, with pos alone a PointLight, with size an AreaLight.",
    'Texture("file.png") may stand for base_color and for the maps. Refraction and clearcoat '
    "are not supported yet.",
)
_ALLOWED = (
    "Python syntax, read and never executed: assignments, numbers, texts, lists, dicts, arithmetic (+"
    " - * / // % **), comparisons, if, for over range(…) or lists, comprehensions, f-strings, * and "
    "** unpacking, def, lambda. Type hints and print(…) are ignored."
)
_REFUSED = (
    "Not allowed: other imports, while, class, try, with, decorators, global, names or attributes that "
    "begin with underscores, open, eval, exec, text formatting other than f-strings, unknown fields, "
    "numbers as texts. One error and the whole script counts as wrong."
)
_TASK = (
    "Answer with one world script that reproduces the video: Python text only, no prose, no Markdown.",
    "It is replayed by a rigid-body engine and a renderer and compared with the video on geometry, physics, "
    "material and light, and time; the weakest decides. So state what causes the motion (start pose and "
    "velocity, mass, friction, restitution, gravity), not the motion.",
)
_ADVICE = (
    "Begin with world = World(duration=…, fps=…), those of the video. Every object, surface, light and the "
    "camera is one constructor call; calling it puts the thing into the world.",
    "World axes: Z is up; X and Y are level. Use the frame that the task gives, else put the main floor at "
    "z = 0. An object that rests on it has pos z = half its height.",
    "The axis of a cylinder, cone (apex up) or capsule (z size with its caps) is its own z; their x and y "
    "sizes are equal, a sphere's three sizes too.",
    "A table top is Object(…, fixed=True) or a Plane; a Plane is the solid half space below its normal, "
    "x · normal = offset on its surface.",
    "State mass, friction and restitution of every moving object; give fixed bodies and planes 1.0 where you "
    "want the object's own value to count.",
)


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    takes: str
    span: str
    default: str
    doc: str


def schema_text() -> str:
    """The language for reading in a terminal."""
    parts = ["The world script", "", _ALLOWED, _REFUSED, *_function_lines(), "", "Meanings"]
    parts += [f"  - {line}" for line in _MEANINGS]
    for kind in DESCRIBED:
        parts += ["", f"{kind}: {_summary(kind)}"]
        rows = _rows(kind)
        width = max(len(row.name) for row in rows)
        for row in rows:
            parts.append(f"  {row.name:<{width}}  {row.doc} ({_details(row)})")
    parts += ["", f"Materials: {', '.join(material_names())}", "", "Example", "", EXAMPLE]
    return "\n".join(parts)


def schema_markdown() -> str:
    """The language as a documentation page."""
    parts = ["# The world script", "", _ALLOWED, "", _REFUSED, "", *_function_lines(), "", "## Meanings", ""]
    parts += [f"- {line}" for line in _MEANINGS]
    for kind in DESCRIBED:
        parts += ["", f"## {kind}", "", _summary(kind), "", "| field | takes | range | default | meaning |"]
        parts.append("|---|---|---|---|---|")
        parts += [
            f"| `{r.name}` | {r.takes} | {r.span} | {r.default.removeprefix('default ')} | {r.doc} |"
            for r in _rows(kind)
        ]
    parts += ["", "## Materials", "", ", ".join(f"`{name}`" for name in material_names())]
    parts += ["", "## Limits", "", *_limit_lines(), "", "## Example", "", "```python", EXAMPLE + "```", ""]
    return "\n".join(parts)


def schema_prompt() -> str:
    """The language as an instruction for a model that watches a video and must answer with a script."""
    parts = [*_TASK, "", "How to write it:", *(f"- {line}" for line in _ADVICE), ""]
    parts += [
        "What the words mean:",
        *(f"- {line}" for line in _MEANINGS),
        "",
        "The language:",
        f"- {_ALLOWED}",
    ]
    functions = f"Functions: {', '.join(BUILTIN_NAMES)}; import math; import numpy as np with only"
    parts += [f"- {_REFUSED}", f"- {functions} {', '.join(NUMPY_NAMES)}.", ""]
    parts.append("Fields (what it takes; range; default). 'required' must be given:")
    for kind in DESCRIBED:
        own = [row for row in _rows(kind) if kind == "Material" or row.name not in SURFACE_FIELDS]
        parts.append(f"{kind}: " + ", ".join(f"{row.name} ({_details(row)})" for row in own))
    parts += [
        f"Object, Plane and Fluid also take {', '.join(SURFACE_FIELDS)}, which replace their material's own.",
        f"Materials: {', '.join(material_names())}",
        "",
        "Example:",
        PROMPT_EXAMPLE,
    ]
    return "\n".join(parts)


def schema_json() -> str:
    """JSON Schema (2020-12) of the fields of every constructor; units under ``x-unit``."""
    lights = [_ref(kind) for kind in DESCRIBED if kind.endswith("Light")]
    definitions = {kind: _json_object(kind) for kind in DESCRIBED}
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "4DCodeBench world script",
        "description": _ALLOWED,
        "type": "object",
        "properties": {
            "world": {"$ref": "#/$defs/World"},
            "camera": {"$ref": "#/$defs/Camera"},
            "objects": {"type": "array", "items": {"$ref": "#/$defs/Object"}},
            "planes": {"type": "array", "items": {"$ref": "#/$defs/Plane"}},
            "fluids": {"type": "array", "items": {"$ref": "#/$defs/Fluid"}, "maxItems": 1},
            "lights": {"type": "array", "items": {"oneOf": lights}},
        },
        "required": ["world"],
        "x-materials": list(material_names()),
        "$defs": definitions,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _ref(kind: Kind) -> dict[str, str]:
    return {"$ref": f"#/$defs/{kind}"}


def _summary(kind: Kind) -> str:
    return " ".join((inspect.getdoc(class_of(kind)) or "").split("\n\n")[0].split())


def _rows(kind: Kind) -> list[_Row]:
    return [_row(kind, rule) for rule in _described_rules(kind).values()]


def _details(row: _Row) -> str:
    return "; ".join(part for part in (row.takes, row.span, row.default) if part)


def _described_rules(kind: Kind) -> Mapping[str, FieldRule]:
    # Things join the world by being constructed: the list fields of World are only another way to say so.
    return {name: rule for name, rule in rules_of(kind).items() if rule.shape not in ("things", "camera")}


def _row(kind: Kind, rule: FieldRule) -> _Row:
    others = [alias for alias, name in spellings(kind).items() if name == rule.name and alias != rule.name]
    also = f" (also {', '.join(others)})" if others else ""
    return _Row(rule.name, rule.expected, _span(rule), _default(kind, rule), rule.spec.doc + also)


def _span(rule: FieldRule) -> str:
    low, high = rule.spec.lower, rule.spec.upper
    if low is None and high is None:
        return ""
    if high is None:
        return f"{'>' if rule.spec.exclusive_lower else '≥'} {low:g}"
    if low is None:
        return f"≤ {high:g}"
    return f"{'> ' if rule.spec.exclusive_lower else ''}{low:g} … {high:g}"


def _default(kind: Kind, rule: FieldRule) -> str:
    if rule.required or (kind == "Object" and rule.name == "name"):
        return "required"
    if rule.default is None:
        return "default none"
    if isinstance(rule.default, Material):
        return f"default {rule.default.name}"
    return f"default {text_of(rule.default)}"


def _function_lines() -> list[str]:
    return [
        f"Functions: {', '.join(BUILTIN_NAMES)}.",
        f"import math: {', '.join(MATH_NAMES)}.",
        f"import numpy as np: {', '.join(NUMPY_NAMES)}.",
        "from fourdcb.dsl import * may stand at the top and changes nothing.",
    ]


def _limit_lines() -> list[str]:
    limits = Budget()
    return [
        f"- source {limits.source_bytes} bytes, {limits.nodes} syntax nodes, nesting {limits.depth}",
        f"- {limits.iterations} loop passes, {limits.steps} evaluated expressions, {limits.seconds:g} s",
        f"- lists {limits.list_length} entries, texts {limits.string_length} characters, integers"
        f" {limits.integer_bits} bits",
        f"- {limits.things} things, helper functions {limits.call_depth} calls deep",
    ]


def _json_object(kind: Kind) -> dict[str, Any]:
    rules = _described_rules(kind)
    required = [
        *(("name",) if kind == "Object" else ()),
        *(n for n in REQUIRED.get(kind, ()) if n != "geometry"),
    ]
    return {
        "type": "object",
        "description": _summary(kind),
        "properties": {name: _json_field(rule) for name, rule in rules.items()},
        "required": required,
        "additionalProperties": False,
    }


def _json_field(rule: FieldRule) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "number": {"type": "number"},
        "integer": {"type": "integer"},
        "flag": {"type": "boolean"},
        "text": {"type": "string"},
        "map": {"type": "string"},
        "geometry": {"enum": list(get_args(Geometry))},
        "keyframes": {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 3}},
        "material": {"oneOf": [{"enum": list(material_names())}, _ref("Material")]},
    }
    item = _bounded({"type": "number"}, rule)
    if rule.shape in ("vector", "color"):
        found: dict[str, Any] = {
            "type": "array",
            "items": item,
            "minItems": rule.count,
            "maxItems": rule.count,
        }
    elif rule.shape == "numbers":
        found = {"type": "array", "items": item}
    elif rule.shape == "vectors":
        vector = {"type": "array", "items": item, "minItems": rule.count, "maxItems": rule.count}
        found = {"type": "array", "items": vector}
    else:
        found = _bounded(dict(kinds[rule.shape]), rule)
    found["description"] = rule.spec.doc
    if rule.spec.unit:
        found["x-unit"] = rule.spec.unit
    if rule.default is not None and not isinstance(rule.default, Material):
        found["default"] = list(rule.default) if isinstance(rule.default, tuple) else rule.default
    return found


def _bounded(found: dict[str, Any], rule: FieldRule) -> dict[str, Any]:
    if rule.spec.lower is not None:
        found["exclusiveMinimum" if rule.spec.exclusive_lower else "minimum"] = rule.spec.lower
    if rule.spec.upper is not None:
        found["maximum"] = rule.spec.upper
    return found
