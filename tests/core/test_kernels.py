"""How kernels are called, stored and loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from fourdcb.kernels import storage
from fourdcb.kernels.arguments import flatten
from fourdcb.kernels.jit import Kernel, inline, kernel


class Pair(NamedTuple):
    table: np.ndarray
    offset: float


@inline
def _blend(a: float, b: float, share: float) -> float:
    return a + share * (b - a)


@kernel
def _mix(pair: Pair, whole: bool, first: int, share: float, out: np.ndarray) -> None:
    for i in range(first, len(out)):
        value = _blend(pair.table[0, i], pair.table[1, i], share)
        out[i] = value + pair.offset if whole else -value


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(storage, "cache_folder", lambda: tmp_path)
    return tmp_path


def run(mix: Kernel[...], table: np.ndarray, *, whole: bool = True) -> np.ndarray:
    out = np.zeros(4)
    mix(Pair(table, 10.0), whole, 1, 0.25, out)
    return out


def test_a_kernel_computes_what_python_computes_and_is_loaded_from_its_file(own_folder: Path) -> None:
    table = np.arange(8.0).reshape(2, 4)
    expected = [0.0, 12.0, 13.0, 14.0]
    np.testing.assert_allclose(run(Kernel(_mix.function), table), expected)
    (stored,) = own_folder.glob("*.kernel")
    before = stored.stat().st_mtime_ns
    again = Kernel(_mix.function)  # as a new process would start
    np.testing.assert_allclose(run(again, table), expected)
    np.testing.assert_allclose(run(again, table, whole=False), [0.0, -2.0, -3.0, -4.0])
    assert stored.stat().st_mtime_ns == before
    plain = np.zeros(4)
    _mix.function(Pair(table, 10.0), True, 1, 0.25, plain)
    np.testing.assert_allclose(plain, expected)


def test_another_type_of_array_is_another_kernel(own_folder: Path) -> None:
    mix = Kernel(_mix.function)
    run(mix, np.ones((2, 4)))
    np.testing.assert_allclose(run(mix, np.ones((2, 4), np.float32)), [0.0, 11.0, 11.0, 11.0])
    assert len(list(own_folder.glob("*.kernel"))) == 2


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"0" * 64 + b"\nsymbol\nbytes"])
def test_a_damaged_file_is_compiled_anew(own_folder: Path, damage: bytes) -> None:
    run(Kernel(_mix.function), np.ones((2, 4)))
    (stored,) = own_folder.glob("*.kernel")
    whole = stored.read_bytes()
    stored.write_bytes(damage)
    np.testing.assert_allclose(run(Kernel(_mix.function), np.ones((2, 4))), [0.0, 11.0, 11.0, 11.0])
    assert stored.read_bytes()[64:65] == whole[64:65]


@pytest.mark.parametrize("package", ["numba", "llvmlite", "numpy"])
def test_after_an_upgrade_no_former_code_is_loaded(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(storage, "cache_folder", storage.cache_folder.__wrapped__)
    run(Kernel(_mix.function), np.ones((2, 4)))
    (former,) = tmp_path.rglob("*.kernel")
    content = former.read_bytes()
    installed = storage.metadata.version
    monkeypatch.setattr(
        storage.metadata, "version", lambda name: "99.0" if name == package else installed(name)
    )
    np.testing.assert_allclose(run(Kernel(_mix.function), np.ones((2, 4))), [0.0, 11.0, 11.0, 11.0])
    (fresh,) = set(tmp_path.rglob("*.kernel")) - {former}
    assert fresh.name == former.name
    assert fresh.parent != former.parent
    assert former.read_bytes() == content


def test_only_whole_arrays_numbers_and_tuples_have_a_layout() -> None:
    with pytest.raises(TypeError, match="contiguous"):
        flatten(np.zeros((4, 4))[:, ::2])
    with pytest.raises(TypeError, match="list"):
        flatten([1.0])


def test_a_tuple_is_flattened_anew_when_an_item_is_another() -> None:
    mix = Kernel(_mix.function)
    for value in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(run(mix, np.full((2, 4), value))[1:], 10.0 + value)


def test_compiled_kernels_are_used_without_numba() -> None:
    code = (
        "import sys; from fourdcb.render._kernels.ambient import albedo_table; "
        "print(albedo_table().sum() > 0, 'numba' in sys.modules)"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_the_warm_up_leaves_no_kernel_to_compile() -> None:
    from fourdcb.render import compile_kernels
    from fourdcb.render._kernels import ambient, draw, gather, paint, resolve, shade

    assert compile_kernels()
    rooms = (ambient, draw, gather, paint, resolve, shade)
    kernels = [k for room in rooms for k in vars(room).values() if isinstance(k, Kernel)]
    assert len(kernels) == 7
    assert all(len(k._loaded) == 1 for k in kernels)
