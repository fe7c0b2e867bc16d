"""Which parameters of a world its clip can tell, which not, and which only together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fourdcb.arrays import F64, Poses
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.errors import UserError
from fourdcb.progress import NullProgress, Progress
from fourdcb.sensitivity.derivatives import changes_pictures, motion_derivative, pixel_derivative
from fourdcb.sensitivity.differences import Derivative, slider_slope
from fourdcb.sensitivity.fisher import Information, information
from fourdcb.sensitivity.horizon import bounding_radius, predictability_horizon
from fourdcb.world import Object, Parameter, World, parameters
from fourdcb.world.camera import in_view
from fourdcb.world.parameters import coupled_components, split_path
from fourdcb.world.symmetry import FreeAxes, free_axes, textured

if TYPE_CHECKING:
    from fourdcb.physics import Engine

Verdict = Literal["observable", "weak", "confounded", "not observable"]

POSITION_NOISE = 0.001
PIXEL_NOISE = 2.0 / 255.0
_WEAK, _LOST = 0.05, 1.0 / 3.0  # standard deviation as a share of the slider
# A defect of one half is that of a jump. Steps grow by this factor, up to this share of the slider.
_BROKEN, _WIDER, _WIDEST = 0.4, 5.0, 0.3
_TIED, _MOST_PARTNERS = 0.3, 3  # correlation
_PICTURES, _HEIGHT = 8, 64
_OF_MOTION = ("mass", "vel", "ang_vel", "acc", "rolling_friction")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterInformation:
    """What a clip says about one parameter.

    Attributes:
        path, value, unit: the parameter.
        standard_deviation: that an estimate can reach when all listed parameters are unknown, each
            believed to be where its slider is (a prior one slider wide) [unit].
        alone: the same when all others are known [unit].
        verdict: ``observable``; ``weak``: to no better than 1/20 of its slider; ``not observable``: to no
            better than a third of it; ``confounded``: not observable beside the others, though it would
            be alone, because ``partners`` may change with it and nothing is seen.
        partners: the parameters that it is confounded with, the strongest first.
        smooth: whether the clip answers to it without breaks; if not (contacts that appear and vanish),
            the figures are those of a secant.
    """

    path: str
    value: float
    unit: str
    standard_deviation: float
    alone: float
    verdict: Verdict
    partners: tuple[str, ...]
    smooth: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Identifiability:
    """The whole picture.

    Attributes:
        parameters: one entry a parameter, in script order.
        singular_values: of the whitened Jacobian per slider, descending, shape (P,).
        directions: the combinations of parameters that belong to them, rows, shape (P, P).
        condition: largest to smallest singular value; None when a combination is not seen at all.
        position_noise: standard deviation of every observed coordinate [m].
        pixel_noise: standard deviation of every channel of every pixel, in [0, 1].
    """

    parameters: tuple[ParameterInformation, ...]
    singular_values: F64
    directions: F64
    condition: float | None
    position_noise: float
    pixel_noise: float


def identifiability(
    world: World,
    paths: Sequence[str] | None = None,
    *,
    position_noise: float = POSITION_NOISE,
    pixel_noise: float = PIXEL_NOISE,
    rate_hz: float | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Identifiability:
    """What the clip of ``world`` tells of its parameters.

    The observer is a tracker and a camera: it sees, at every frame, the centre of each object that is in
    view and predictable, and a point as far from the centre as the object is large (which shows the turn),
    with ``position_noise``; and, knowing the motion, 8 pictures of 64 rows with ``pixel_noise``. Real
    observers are worse (noise is not white, models are not exact): what is not observable here is not
    observable at all.

    Args:
        world: where to look.
        paths: what is unknown; a parameter (``cup.mass``), a vector (``cup.vel``) or all of a thing
            (``cup``). Default: everything that the script says, camera and exposure aside, because they
            belong to the stage.
        position_noise: [m]. pixel_noise: in [0, 1].
        rate_hz: physics rate; default the judging rate.
        engine: reused engine; default a fresh one.
        progress: told of each parameter.

    Raises:
        UserError: when a path names no parameter, or a noise is not positive.
        SimulationDivergedError: when the world explodes.
    """
    from fourdcb.physics import judging_rate, make_engine

    _check_noise(position_noise, pixel_noise)
    chosen = default_unknowns(world) if paths is None else _selected(world, paths)
    rate = judging_rate(world.fps) if rate_hz is None else rate_hz
    told = progress or NullProgress()
    told.start("sensitivities", len(chosen))
    with nullcontext(engine) if engine is not None else make_engine() as running:
        observer = _Observer(world, rate, running, position_noise, pixel_noise)
        columns, smooth = [], []
        for known in chosen:
            column, found = observer.column(known)
            columns.append(column * slider_slope(known))
            smooth.append(all(d.smooth for d in found))
            told.advance()
    seen = information(np.stack(columns, axis=1), prior=1.0)
    described = tuple(_described(seen, chosen, j, smooth[j]) for j in range(len(chosen)))
    return Identifiability(
        parameters=described,
        singular_values=seen.singular_values,
        directions=seen.directions,
        condition=seen.condition if np.isfinite(seen.condition) else None,
        position_noise=position_noise,
        pixel_noise=pixel_noise,
    )


def _check_noise(position_noise: float, pixel_noise: float) -> None:
    if not (0 < position_noise < math.inf and 0 < pixel_noise < math.inf):
        raise UserError(
            "the noise of an observation must be positive",
            got=f"positions {position_noise:g} m, pixels {255 * pixel_noise:g} of 255",
        )


def default_unknowns(world: World) -> tuple[Parameter, ...]:
    """Every number of a script that may be unknown, each degree of freedom once.

    Left out: camera and exposure; what moves a body that never moves; the second of two components that
    change together; and of a direction its largest component, because only ratios matter.
    """
    return tuple(p for p in parameters(world) if not _is_stage(p) and _is_free(world, p))


def _is_stage(known: Parameter) -> bool:
    return known.owner == "camera" or known.path == "world.exposure"


def _is_free(world: World, known: Parameter) -> bool:
    name, field, index = split_path(known.path)
    thing = next((o for o in (*world.bodies, *world.lights) if o.name == name), None)
    if thing is None:
        return True
    if isinstance(thing, Object):
        if thing.kind != "dynamic" and field in _OF_MOTION:
            return False
        return index in (None, coupled_components(thing, field, index)[0])
    if field == "direction" and index is not None:
        return index != int(np.argmax(np.abs(getattr(thing, field))))
    if field == "direction_curve" and isinstance(index, tuple):
        return index[1] != int(np.argmax(np.abs(getattr(thing, field)[index[0]])))
    return True


def _selected(world: World, paths: Sequence[str]) -> tuple[Parameter, ...]:
    table = parameters(world)
    unknown: list[Parameter] = []
    for path in paths:
        # The world's own parameters have an empty owner, which nobody means by an empty word.
        found = [p for p in table if path and path in (p.path, p.path.rpartition("[")[0], p.owner)]
        if not found:
            from fourdcb.world import parameter

            found = [parameter(world, path)]  # says which names are near
        if len(found) > 1:
            found = [p for p in found if _is_free(world, p)]
        unknown += [p for p in found if p not in unknown]
    if not unknown:
        raise UserError("no parameter is left that could be told", got=", ".join(paths))
    return tuple(unknown)


class _Observer:
    """Whitened derivatives of everything that is observed."""

    def __init__(
        self, world: World, rate_hz: float, engine: Engine, position_noise: float, pixel_noise: float
    ) -> None:
        self._world, self._rate, self._engine = world, rate_hz, engine
        self._position_noise, self._pixel_noise = position_noise, pixel_noise
        trajectory = engine.rollout(world, rate_hz=rate_hz)
        steps = trajectory.frame_steps()
        self._base: Poses = (trajectory.position[steps], trajectory.orientation_wxyz[steps])
        horizon = predictability_horizon(world, rate_hz=rate_hz, trajectory=trajectory, engine=engine)
        self._seen = _visibility(world, self._base[0], horizon)
        self._arms = _arms(world)
        self._round = np.array([float(_hidden(obj, "z")) for obj in world.objects])
        picked = np.unique(np.linspace(0, len(steps) - 1, _PICTURES).round().astype(int))
        self._times = [k / world.fps for k in picked]
        self._poses = [(self._base[0][k], self._base[1][k]) for k in picked]

    def column(self, known: Parameter) -> tuple[F64, list[Derivative]]:
        """Derivative of all observations per unit of a parameter, in units of the noise, shape (M,)."""
        motion, pixels = self._motion(known), self._pixels(known)
        found = [d for d in (motion[1], pixels[1]) if d is not None]
        return np.concatenate([motion[0], pixels[0]]), found

    def _motion(self, known: Parameter) -> tuple[F64, Derivative | None]:
        """Rows and reliability. A jump that nobody sees tells nothing: steps grow until it is real."""
        if known.stage != "physics":
            return np.zeros(6 * self._seen.size), None
        rows, found = self._motion_rows(known, step=None)
        while found.defect > _BROKEN and np.linalg.norm(rows) * found.step < 1.0:
            wider = _WIDER * found.step
            if wider > _WIDEST * abs(slider_slope(known)):
                break
            rows, found = self._motion_rows(known, step=wider)
        return rows, found

    def _motion_rows(self, known: Parameter, *, step: float | None) -> tuple[F64, Derivative]:
        count = len(self._world.objects)
        found = motion_derivative(
            self._world, known.path, rate_hz=self._rate, engine=self._engine, base=self._base, step=step
        )
        turned = self._visible_turn(found.rotation[:, :count]) * self._arms[:, None]
        rows = np.concatenate([found.position[:, :count], turned], axis=-1) * self._seen[..., None]
        return rows.ravel() / self._position_noise, found.derivative

    def _visible_turn(self, rotation: F64) -> F64:
        """Rotation vectors (T, N, 3) without the spin about an axis of symmetry."""
        axis = rotation_from_quaternion(self._base[1][:, : rotation.shape[1]])[..., 2] * self._round[:, None]
        return rotation - axis * np.sum(rotation * axis, axis=-1, keepdims=True)

    def _pixels(self, known: Parameter) -> tuple[F64, Derivative | None]:
        from fourdcb.render import RenderSettings

        camera = self._world.camera
        width = max(8, round(_HEIGHT * camera.width / camera.height))
        if not changes_pictures(known):
            return np.zeros(len(self._times) * _HEIGHT * width * 3), None
        found = pixel_derivative(
            self._world, known.path, self._times, poses=self._poses,
            settings=RenderSettings(width=width, height=_HEIGHT, supersample=3, shadow_size=256),
        )  # fmt: skip
        return found.value.ravel() / self._pixel_noise, found


def _visibility(world: World, position: F64, horizon: dict[str, float]) -> F64:
    """1 where an object is in view and still predictable, shape (T, N objects)."""
    times = world.frame_times()
    columns = []
    for i, obj in enumerate(world.objects):
        inside = in_view(world.camera, position[:, i], bounding_radius(obj, world))
        columns.append(inside & (times < horizon[obj.name]))
    return np.stack(columns, axis=1).astype(np.float64) if columns else np.zeros((len(times), 0))


def _arms(world: World) -> F64:
    """Distance from the centre at which an object's turn is seen [m], 0 for a plain sphere, shape (N,)."""
    return np.array([0.0 if _hidden(obj, "all") else _arm(obj, world) for obj in world.objects])


def _arm(obj: Object, world: World) -> float:
    return bounding_radius(obj, world) if obj.geometry == "mesh" else 0.5 * max(obj.size)


def _hidden(obj: Object, free: FreeAxes) -> bool:
    """Whether an object looks the same turned about these of its axes; a texture shows every turn."""
    return free_axes(obj.geometry) == free and not textured(obj)


def _described(
    seen: Information, chosen: tuple[Parameter, ...], j: int, smooth: bool
) -> ParameterInformation:
    known, span = chosen[j], abs(slider_slope(chosen[j]))
    together, alone = float(seen.together[j]), float(seen.alone[j])
    partners = _partners(seen, j) if alone < _LOST <= together else []
    verdict: Verdict = "observable" if together < _WEAK else "weak"
    if together >= _LOST:
        verdict = "confounded" if partners else "not observable"
    return ParameterInformation(
        path=known.path,
        value=known.value,
        unit=known.unit,
        standard_deviation=together * span,
        alone=alone * span,
        verdict=verdict,
        partners=tuple(chosen[i].path for i in partners),
        smooth=smooth,
    )


def _partners(seen: Information, j: int) -> list[int]:
    """At most three parameters whose estimates are tied to that of ``j``, the most strongly tied first."""
    ties = np.array([abs(seen.correlation(i, j)) if i != j else 0.0 for i in range(len(seen.alone))])
    ties[seen.alone >= _LOST] = 0.0
    order = np.argsort(-ties, kind="stable")[:_MOST_PARTNERS]
    return [int(i) for i in order if ties[i] > _TIED]
