"""Identity, seed tree, errors, atomic writes."""

import json
import os
import pickle
import stat
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourdcb.errors import Diagnostic, UserError
from fourdcb.identity import (
    array_hash,
    canonical_json,
    content_hash,
    jsonable,
    new_file_mode,
    write_atomic,
)
from fourdcb.randomness import generator
from fourdcb.world import Object, Plane, World

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=10,
)


@given(json_values)
def test_canonical_json_reads_back_equal(value):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_key_order_does_not_matter(mapping):
    assert content_hash(mapping) == content_hash(dict(reversed(mapping.items())))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), [1.0, -float("inf")]])
def test_json_refuses_non_finite(bad):
    with pytest.raises(ValueError, match="JSON has no"):
        jsonable(bad)


def test_provenance_is_outside_identity():
    world = World(planes=(Plane(name="ground"),))
    assert content_hash(world) == content_hash(World(planes=(Plane(name="ground"),), base_dir="/elsewhere"))
    assert content_hash(world) != content_hash(World(planes=(Plane(name="ground", offset=0.1),)))


def test_array_hash_sees_shape_and_type():
    a = np.arange(6, dtype=np.float64)
    assert array_hash(a) != array_hash(a.reshape(2, 3))
    assert array_hash(a) != array_hash(a.astype(np.float32))


def test_seed_tree_is_by_name_not_by_order():
    first = generator(0, "a/b").random(4)
    generator(0, "other").random(100)
    np.testing.assert_array_equal(first, generator(0, "a/b").random(4))
    assert not np.array_equal(first, generator(1, "a/b").random(4))
    assert not np.array_equal(first, generator(0, "a").random(4))
    with pytest.raises(ValueError):
        generator(-1)


def test_user_errors_cross_processes():
    error = UserError("bad", where="pred.py:4:12", got="1", expected="2", hint="mend it")
    back = pickle.loads(pickle.dumps(error))
    assert str(back) == str(error) == "pred.py:4:12: bad\n  got: 1\n  expected: 2\n  hint: mend it"


def test_diagnostic_reads_as_a_compiler_line():
    text = str(
        Diagnostic(
            severity="error", code="missing-field", message="missing 'acc'.", file="p.py", line=4, column=12
        )
    )
    assert text == "p.py:4:12: missing 'acc'."


def test_threads_that_ask_for_the_permissions_of_new_files_leave_the_mask_as_it_is():
    before = os.umask(0o027)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: new_file_mode(), range(4000))) == {0o640}
    finally:
        assert os.umask(before) == 0o027


def test_atomic_write_keeps_mode_and_link(tmp_path):
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.txt", "real.txt"]


def test_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "report.json"
    target.write_text("old")
    monkeypatch.setattr(
        os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(OSError, match="No space"):
        write_atomic(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_objects_refuse_positional_arguments():
    with pytest.raises(TypeError):
        Object("cup", "box")
