"""Which of a world's parameters are worth a slider, and in which order."""

from __future__ import annotations

from fourdcb.world import Parameter, World, parameters
from fourdcb.world.contact import is_static
from fourdcb.world.parameters import split_path

_STAGE_OWNED = ("camera.", "world.exposure")  # the reference decides these when there is one
_NO_EFFECT_AT_REST = frozenset({"mass", "vel", "ang_vel", "acc", "rolling_friction"})


def shown_parameters(world: World, *, staged: bool) -> tuple[Parameter, ...]:
    """Parameters of a candidate, things that move first.

    Args:
        world: the candidate.
        staged: whether a reference decides camera and exposure; they are left out then.
    """
    resting = {body.name for body in world.bodies if is_static(body)}
    shown = [p for p in parameters(world) if not (staged and p.path.startswith(_STAGE_OWNED))]
    useful = [p for p in shown if p.owner not in resting or split_path(p.path)[1] not in _NO_EFFECT_AT_REST]
    moving = {o.name for o in world.objects} - resting
    return tuple(sorted(useful, key=lambda p: p.owner not in moving))
