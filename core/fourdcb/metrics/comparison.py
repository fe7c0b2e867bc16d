"""Everything that is measured between a reference and a candidate, before it is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourdcb.errors import UserError
from fourdcb.metrics.contact.collision import Collisions, compare_contacts
from fourdcb.metrics.contact.energy import ContactLoss, candidate_loss
from fourdcb.metrics.contact.outcomes import Outcome, outcomes
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.light.lighting import LightGap, flickering_frame, light_gaps
from fourdcb.metrics.light.material import Appearance, compare_appearance
from fourdcb.metrics.light.offscreen_shadows import offscreen_shadows
from fourdcb.metrics.light.patches import Patches, compare_patches
from fourdcb.metrics.light.shadow import ShadowLengths, shadow_lengths
from fourdcb.metrics.light.spread import light_spreads
from fourdcb.metrics.matching import Matching, match
from fourdcb.metrics.states import PairStates, pair_states

if TYPE_CHECKING:
    from fourdcb.replay import Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Measurements shared by metrics and findings; what needs pictures is None when judged fast."""

    reference: Replay
    candidate: Replay
    matching: Matching
    states: tuple[PairStates, ...]
    loss: ContactLoss
    collisions: Collisions
    outcomes: tuple[Outcome, ...]
    lights: Mapping[str, LightGap]
    spreads: Mapping[str, float]
    shadows: Mapping[str, ShadowLengths]
    appearance: Appearance | None
    patches: Patches | None


def compare(
    reference: Replay, candidate: Replay, criteria: Criteria, horizon: Mapping[str, float], *, fast: bool
) -> Comparison:
    """Measure.

    Raises:
        UserError: when the replays do not share frame rate and physics rate.
    """
    a, b = reference.trajectory, candidate.trajectory
    if (a.fps, a.rate_hz) != (b.fps, b.rate_hz):
        raise UserError(
            "the two replays cannot be compared",
            got=f"{b.fps:g} frames/s and {b.rate_hz:g} substeps/s",
            expected=f"the reference's {a.fps:g} frames/s and {a.rate_hz:g} substeps/s",
        )
    tolerance, slowest = criteria.contact_tolerance, criteria.impact_speed
    matching = match(reference.world, candidate.world, a, b)
    lights = {} if fast else light_gaps(reference, candidate.world)
    flicker = flickering_frame(lights)
    shadows = {} if fast else shadow_lengths(reference, candidate.world)
    if not fast:
        shadows |= offscreen_shadows(reference, candidate.world, matching.static)
    return Comparison(
        reference=reference,
        candidate=candidate,
        matching=matching,
        states=pair_states(matching, reference, candidate, horizon),
        loss=candidate_loss(candidate, reference, matching),
        collisions=compare_contacts(a, b, matching, horizon, tolerance, slowest=slowest),
        outcomes=outcomes(a, b, matching, horizon, tolerance, slowest),
        lights=lights,
        spreads=light_spreads(reference, candidate.world, lights),
        shadows=shadows,
        appearance=None if fast else compare_appearance(reference, candidate, matching, also=flicker),
        patches=None if fast else compare_patches(reference, candidate.world, matching),
    )
