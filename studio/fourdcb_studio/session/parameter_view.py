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
    moving = {o.name for o in world.objects} - resting
    first, then = list[Parameter](), list[Parameter]()
    for parameter in parameters(world):
        if staged and parameter.path.startswith(_STAGE_OWNED):
            continue
        name, field, _ = split_path(parameter.path)
        if name in moving:
            first.append(parameter)
        elif name not in resting or field not in _NO_EFFECT_AT_REST:
            then.append(parameter)
    return (*first, *then)
