"""``fourdcb bench invariance``: worlds told otherwise must move alike, and no scene may make energy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fourdcb.physics import Engine
    from fourdcb.sensitivity.invariance import Departure
    from fourdcb.world import World


def bench_invariance(
    count: Annotated[int, typer.Option(min=0, help="Random scenes beside the bundled ones.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the first random scene.")] = 0,
    rate: Annotated[float, typer.Option(min=30.0, help="Substeps per second.")] = 960.0,
    engine: Annotated[str | None, typer.Option(help="Default the one that judges.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Turn, mirror, shift, reorder, scale and weigh scenes otherwise; exit 1 if one moves otherwise or makes
    energy.

    Differences are looked for as long as a scene can be foretold, in lengths of the scene itself.
    """
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.identity import jsonable
    from fourdcb.physics import DEFAULT_ENGINE, make_engine
    from fourdcb.sensitivity.invariance import departures

    found: list[Departure] = []
    gained: dict[str, float] = {}
    with make_engine(engine or DEFAULT_ENGINE) as running, terminal_progress() as progress:
        worlds = dict(_worlds(count, seed))
        progress.start("telling worlds otherwise", len(worlds))
        for name, world in worlds.items():
            found += departures(name, world, rate_hz=rate, engine=running)
            if name.startswith("random"):
                gained[name] = _energy_gained(world, rate, running)
            progress.advance()
    wrong = [one for one in found if not one.holds]
    making = {name: gain for name, gain in gained.items() if gain > _MOST_GAIN}
    if json_:
        rows = [jsonable(one) | {"holds": one.holds} for one in found]
        typer.echo(json.dumps({"departures": rows, "energy_gained": gained}, indent=1))
    else:
        typer.echo("\n".join(_lines(found, gained)))
    raise typer.Exit(1 if wrong or making else 0)


_MOST_GAIN = 1e-2  # of the energy that a scene begins with, as for tumbling bodies in the conformance rows


def _worlds(count: int, seed: int) -> Iterator[tuple[str, World]]:
    """Bundled scenes whose bodies all move by the laws, and random ones."""
    from importlib.resources import as_file, files

    from fourdcb.dataset.layout import REFERENCE_NAME
    from fourdcb.dsl import load_script
    from fourdcb.physics.conformance.random_scenes import random_scene

    with as_file(files("fourdcb_resources") / "scenes") as root:
        for path in sorted(root.glob(f"*/{REFERENCE_NAME}")):
            world = load_script(path).world
            # A prescribed way has a scale of its own, and a fluid a grid that stands along the axes.
            if not world.fluids and not any(obj.trajectory for obj in world.objects):
                yield path.parent.name, world
    for k in range(seed, seed + count):
        yield f"random {k}", random_scene(k)


def _energy_gained(world: World, rate: float, engine: Engine) -> float:
    """Largest rise of the whole mechanical energy above its least so far, over what it began with."""
    import numpy as np

    motion = engine.rollout(world, rate_hz=rate)
    total = (motion.kinetic_energy + motion.potential_energy).sum(axis=1)
    floor = np.minimum.accumulate(total)
    return float((total - floor).max() / max(abs(float(total[0])), 1e-12))


def _lines(found: list[Departure], gained: dict[str, float]) -> Iterator[str]:
    from fourdcb.sensitivity.invariance import POSITION_LIMIT, ROTATION_LIMIT_DEG

    yield f"{'told':34} {'scenes':>6} {'hold':>5} {'worst mm':>9} {'worst °':>8}  worst scene"
    for way in dict.fromkeys(one.way for one in found):
        rows = [one for one in found if one.way == way]
        worst = max(
            rows, key=lambda one: max(one.position / POSITION_LIMIT, one.rotation_deg / ROTATION_LIMIT_DEG)
        )
        yield (
            f"{way:34} {len(rows):>6} {sum(one.holds for one in rows):>5} {1e3 * worst.position:>9.3g} "
            f"{worst.rotation_deg:>8.3g}  {worst.scene}"
        )
    if gained:
        name = max(gained, key=lambda key: gained[key])
        yield f"most energy gained: {gained[name]:.2g} of the first, in {name} ({len(gained)} random scenes)"
