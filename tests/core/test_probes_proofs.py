"""The probes' proofs in small: leaks are caught, order alone is read, pooling is what others call pooling."""

import numpy as np
import pytest
from skimage.measure import block_reduce

from fourdcb.probes.agreement import agreement
from fourdcb.probes.encoders import encoder_of
from fourdcb.probes.heads.table import HEADS, base_of, reads_tokens, settings_of, token_grid_of
from fourdcb.probes.order_only import order_pair, order_results
from fourdcb.probes.planted import planted_leaks
from fourdcb.probes.store import pool_tokens
from fourdcb.randomness import generator


def test_every_planted_leak_is_caught_and_the_honest_evaluation_passes():
    found = planted_leaks()
    assert [row.name for row in found if not row.caught] == []
    assert len(found) > 10
    assert found[0].told == ""


def test_probes_and_scores_agree_with_scikit_learn():
    bounds = {"linear probe: probabilities": 2e-3}
    for row in agreement(repetitions=1):
        assert row.difference <= bounds.get(row.what, 1e-12), row.what


def test_a_window_and_its_reverse_hold_the_very_same_frames():
    forwards, backwards = order_pair(3)
    assert not np.array_equal(forwards, backwards)
    assert sorted(frame.tobytes() for frame in forwards) == sorted(frame.tobytes() for frame in backwards)
    middle = len(forwards) // 2
    np.testing.assert_array_equal(forwards[middle], backwards[middle])


def test_order_alone_is_read_from_windows_and_not_from_one_frame():
    found = order_results(encoder_of("colour_motion"), ("ridge",), pairs=30, seeds=(0, 1))
    ordinary, one_frame = found
    assert ordinary.order == "ordinary"
    assert ordinary.estimate.low > 0.5
    assert one_frame.estimate.value == pytest.approx(0.5)
    assert one_frame.pairs == 0.0


@pytest.mark.parametrize("side", [8, 14])
def test_pooled_tokens_are_the_means_of_their_cells(side):
    tokens = generator(0, "pool").normal(size=(2, side, side, 3)).astype(np.float32)
    expected = block_reduce(tokens, (1, side // 2, side // 2, 1), np.mean)
    np.testing.assert_allclose(pool_tokens(tokens, 2), expected, atol=1e-6)
    assert pool_tokens(tokens, 0) is tokens
    assert pool_tokens(tokens, side) is tokens


@pytest.mark.optional
def test_pooling_equals_torchs_adaptive_pooling_where_sides_do_not_divide():
    torch = pytest.importorskip("torch")
    tokens = generator(0, "pool").normal(size=(2, 7, 10, 3)).astype(np.float32)
    theirs = torch.nn.functional.adaptive_avg_pool2d(torch.from_numpy(tokens).permute(0, 3, 1, 2), 4)
    np.testing.assert_allclose(pool_tokens(tokens, 4), theirs.permute(0, 2, 3, 1).numpy(), atol=1e-6)


def test_heads_by_name():
    assert [len(settings_of(head)) for head in HEADS] == [20] * len(HEADS)
    assert base_of("attentive@2") == "attentive"
    assert token_grid_of("attentive@2") == 2
    assert reads_tokens("attentive@2")
    for wrong in ("attentive@", "attentive@0", "attentive@x", "ridge@2", "deep"):
        with pytest.raises(Exception, match="no such head"):
            base_of(wrong)
