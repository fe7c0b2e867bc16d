"""The frame store keeps its budget and drops what helps least."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb_studio.session.frame_store import FrameStore


def _image(value: int = 0) -> np.ndarray:
    return np.full((10, 10, 3), value, np.uint8)  # 300 bytes


def test_far_frames_go_first_and_sources_out_of_focus_before_them() -> None:
    store = FrameStore(budget=1200)
    store.put("old", 5, _image())
    store.focus(["now"], 5)
    for frame in (5, 6, 90):
        store.put("now", frame, _image())
    store.put("now", 4, _image())
    assert not store.has("old", 5)
    store.put("now", 7, _image())
    assert store.frames("now") == {4, 5, 6, 7}


def test_images_are_read_only_and_replaced_in_place() -> None:
    store = FrameStore()
    store.put("a", 0, _image(1))
    store.put("a", 0, _image(2))
    image = store.get("a", 0)
    assert image is not None
    assert image[0, 0, 0] == 2
    assert not image.flags.writeable
    assert store.size == 300


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.integers(1, 40)), max_size=60))
def test_size_is_what_is_held_and_stays_in_budget(puts: list[tuple[str, int, int]]) -> None:
    store = FrameStore(budget=2000)
    for key, frame, rows in puts:
        store.focus([key], frame)
        store.put(key, frame, np.zeros((rows, 10, 3), np.uint8))
        held = [store.get(k, f) for k in "abc" for f in store.frames(k)]
        assert store.size == sum(image.nbytes for image in held if image is not None)
        assert store.size <= 2000 or len(store) == 1
        assert store.has(key, frame)
