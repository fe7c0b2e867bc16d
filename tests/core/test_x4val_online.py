"""Single samples are scored as many together are, whatever happens to the gallery meanwhile."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.x4val.consistency import Gallery, class_consistency, make_gallery
from fourdcb.x4val.index import build_index
from fourdcb.x4val.online import OnlineScorer
from fourdcb.x4val.service_trial import index_trial, made_vectors


class _Table:
    """Embeds a picture as the row that its first pixel names."""

    name, dimension = "table", 8

    def __init__(self, rows):
        self.rows = rows

    def embed(self, frames):
        return self.rows[int(frames[0, 0, 0, 0])]


def _picture(row):
    return np.full((1, 2, 2, 3), row, np.uint8)


@pytest.fixture
def rows():
    found = np.random.default_rng(0).standard_normal((200, 8)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_one_at_a_time_is_as_all_together(rows):
    labels = [("a", "b", None)[k % 3] for k in range(150)]
    clusters = [str(k // 4) for k in range(150)]
    gallery = make_gallery(rows[:150], labels, clusters)
    scorer = OnlineScorer(_Table(rows), gallery, k=5)
    together = class_consistency(rows[150:], ["a"] * 50, ["7"] * 50, gallery, k=5)
    for k, expected in enumerate(together.tolist()):
        found = scorer.score(_picture(150 + k), "a", cluster="7")
        assert found.consistency == pytest.approx(expected)
        assert found.alert == (expected < 0.6)
        assert found.gallery == 150


def test_samples_of_its_own_cluster_are_nobody_to_agree_with(rows):
    gallery = make_gallery(np.repeat(rows[:1], 12, axis=0), ["a"] * 12, ["scene"] * 12)
    scorer = OnlineScorer(_Table(rows), gallery, k=5)
    assert scorer.score(_picture(0), "a").consistency == 1.0
    lonely = scorer.score(_picture(0), "a", cluster="scene")
    assert lonely.consistency is None
    assert lonely.alert


def test_readers_never_fail_and_nothing_is_lost_while_many_grow_it(rows):
    scorer = OnlineScorer(_Table(rows), make_gallery(rows[:50], ["a"] * 50, list("k" * 50)))
    over, trouble, answered = threading.Event(), [], []

    def read():
        while not over.is_set():
            try:
                answered.append(scorer.score(_picture(60), "a").consistency)
            except Exception as error:  # noqa: BLE001
                trouble.append(error)

    def grow(number):
        for k in range(25):
            scorer.grow(rows[[number]], ["a"], [f"{number}/{k}"])

    readers = [threading.Thread(target=read) for _ in range(4)]
    writers = [threading.Thread(target=grow, args=(100 + k,)) for k in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    over.set()
    for thread in readers:
        thread.join()
    assert not trouble
    assert answered
    assert set(answered) == {1.0}
    gallery = scorer.gallery
    assert gallery.index.count == len(gallery.labels) == len(gallery.clusters) == 100
    numbers, _ = gallery.index.nearest(rows[[100]], 25)
    assert {gallery.clusters[k] for k in numbers[0]} == {f"100/{k}" for k in range(25)}


def test_too_small_or_uneven_galleries_are_refused_and_the_old_one_stays(rows):
    scorer = OnlineScorer(_Table(rows), make_gallery(rows[:50], ["a"] * 50, ["c"] * 50))
    with pytest.raises(UserError, match="too small"):
        scorer.replace(Gallery(build_index(rows[:3]), ("a",) * 3, ("c",) * 3))
    with pytest.raises(UserError, match="differ in number"):
        scorer.grow(rows[:3], ["a"], ["c"])
    assert scorer.gallery.index.count == 50


def test_inverted_lists_find_what_exact_search_finds():
    trial = index_trial(4_000)
    assert trial.recall > 0.98
    vectors, labels = made_vectors(500, seed=3)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    assert len(set(labels)) == 40
