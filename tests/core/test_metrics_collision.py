"""Contacts: matching in time, recall and precision, penetration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fourdcb.metrics.contact.collision import compare_contacts, pair_contacts, penetrations
from fourdcb.metrics.matching import Matching, match
from fourdcb.physics import simulate
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, Plane, World

G = 9.8
TOLERANCE = 1 / 30


def scene(height: float = 0.5, e: float = 0.6) -> World:
    ball = Object(
        name="ball", geometry="sphere", size=(0.1, 0.1, 0.1), mass=0.2, restitution=e, pos=(0, 0, height),
        vel=(0, 0, 0), acc=(0, 0, -G),
    )  # fmt: skip
    floor = Plane(name="floor", friction=0.5, restitution=1.0)
    return World(duration=1.0, fps=30, objects=(ball,), planes=(floor,))


def both(a: World, b: World) -> tuple[Trajectory, Trajectory, Matching]:
    truth, guess = simulate(a), simulate(b)
    return truth, guess, match(a, b, truth, guess)


def test_truth_against_itself_is_perfect() -> None:
    c = compare_contacts(*both(scene(), scene()), {}, TOLERANCE)
    assert c.accuracy == 1.0
    assert not c.onsets.missed
    assert not c.onsets.invented


def test_first_touch_is_at_the_closed_form_time() -> None:
    trajectory = simulate(scene())
    (contacts,) = pair_contacts(trajectory, {n: n for n in trajectory.names}, {}).values()
    assert contacts.onsets(TOLERANCE)[0] == pytest.approx(np.sqrt(2 * 0.45 / G), abs=2 / 960)


@pytest.mark.parametrize(("delay", "found"), [(0.02, True), (0.05, False)])
def test_onsets_match_within_a_thirtieth_of_a_second(delay: float, found: bool) -> None:
    fall = np.sqrt(2 * 0.45 / G)
    later = 0.05 + 0.5 * G * (fall + delay) ** 2
    c = compare_contacts(*both(scene(e=0.0), scene(height=later, e=0.0)), {}, TOLERANCE)
    assert (c.onset_recall == 1.0) is found
    assert (c.onset_precision == 1.0) is found


def test_contacts_after_the_horizon_do_not_count() -> None:
    truth, guess, matching = both(scene(e=0.6), scene(e=0.3))
    assert compare_contacts(truth, guess, matching, {}, TOLERANCE).accuracy < 1.0
    early = compare_contacts(truth, guess, matching, {"ball": 0.35}, TOLERANCE)
    assert early.accuracy == 1.0


def test_a_body_that_never_lands_has_no_recall() -> None:
    c = compare_contacts(*both(scene(), scene(height=30.0)), {}, TOLERANCE)
    assert c.onset_recall == 0.0
    assert c.onset_precision == 1.0
    assert c.accuracy == 0.0


def test_an_impact_explains_its_own_depth_and_an_overlap_does_not() -> None:
    clean = simulate(scene())
    assert all(p.excess < 0.001 for p in penetrations(clean, {}))
    contacts = clean.contacts
    sunk = replace(clean, contacts=replace(contacts, distance=contacts.distance - 0.0073))
    worst = max(penetrations(sunk, {}), key=lambda p: p.excess)
    approach = np.abs(np.sum(contacts.velocity_before * contacts.normal, axis=-1))
    row = int(np.argmin(np.abs(contacts.step / clean.rate_hz - worst.time)))
    assert worst.depth == pytest.approx(0.0073 - contacts.distance[row], abs=1e-12)
    assert worst.excess == pytest.approx(worst.depth - approach[row] / clean.rate_hz, abs=1e-6)


def test_a_static_body_for_one_that_rests_owes_no_contacts_with_its_support() -> None:
    block = Object(
        name="block", size=(0.3, 0.3, 0.1), mass=2.0, restitution=0.0, friction=0.5, pos=(0.6, 0, 0.05),
        vel=(0, 0, 0), acc=(0, 0, -G),
    )  # fmt: skip
    free = replace(scene(), objects=(*scene().objects, block))
    fixed = replace(scene(), objects=(*scene().objects, replace(block, fixed=True)))
    for a, b in ((free, fixed), (fixed, free)):
        assert compare_contacts(*both(a, b), {}, TOLERANCE).accuracy == 1.0


def test_touching_a_static_body_that_nobody_sees_counts() -> None:
    pin = Object(
        name="pin", size=(0.004, 0.004, 0.002), pos=(0, 0, 0.001), vel=(0, 0, 0), acc=(0, 0, 0), fixed=True
    )  # fmt: skip
    truth, guess, matching = both(scene(), replace(scene(), objects=(*scene().objects, pin)))
    assert matching.counterpart == {"ball": "ball", "floor": "floor"}  # no sample of the camera meets the pin
    c = compare_contacts(truth, guess, matching, {}, TOLERANCE)
    assert c.onset_precision < 1.0
    assert ("ball", "pin (extra)") in c.onsets.invented
