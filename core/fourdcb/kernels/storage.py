"""The cache of compiled kernels on disk."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from fourdcb.identity import write_atomic
from fourdcb.kernels.arguments import Layout
from fourdcb.kernels.machine import Code

_log = logging.getLogger(__name__)


def read_code(name: str, sources: Sequence[Path], layouts: tuple[Layout, ...]) -> Code | None:
    """The stored machine code of a kernel for arguments of these layouts; None when it is not there whole.

    Args:
        name: of the kernel.
        sources: files that its code comes from; a change of any of them is another kernel.
        layouts: of its arguments.
    """
    path = _path(name, sources, layouts)
    if path is None or not path.is_file():
        return None
    checksum, _, content = path.read_bytes().partition(b"\n")
    if hashlib.sha256(content).hexdigest().encode() != checksum:
        _log.warning("%s is damaged; the kernel is compiled anew", path)
        return None
    symbol, _, object_file = content.partition(b"\n")
    return Code(symbol.decode(), object_file)


def write_code(name: str, sources: Sequence[Path], layouts: tuple[Layout, ...], code: Code) -> None:
    """Store it where :func:`read_code` finds it; a folder that has become unwritable costs only time."""
    path = _path(name, sources, layouts)
    if path is None:
        return
    content = code.symbol.encode() + b"\n" + code.object_file
    try:
        write_atomic(path, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
    except OSError as error:
        _log.warning("a compiled kernel was not kept: %s", error)


def _path(name: str, sources: Sequence[Path], layouts: tuple[Layout, ...]) -> Path | None:
    folder = cache_folder()
    digest = hashlib.sha256(repr(layouts).encode())
    for source in sources:
        digest.update(_digest_of(source))
    return folder and folder / f"{name}-{digest.hexdigest()[:20]}.kernel"


@cache
def _digest_of(source: Path) -> bytes:
    return hashlib.sha256(source.read_bytes()).digest()


@cache
def cache_folder() -> Path | None:
    """A writable folder for compiled kernels, or None (they are then compiled in every process)."""
    import platformdirs

    chosen = os.environ.get("NUMBA_CACHE_DIR")
    candidates = [Path(chosen)] if chosen else [Path(platformdirs.user_cache_dir("fourdcb"))]
    candidates.append(Path(tempfile.gettempdir()) / f"fourdcb-{os.getuid() if hasattr(os, 'getuid') else 0}")
    for base in candidates:
        target = base / "kernels" / _digest()
        try:
            target.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(target, os.W_OK) and _is_mine(target):
            return target
    _log.warning("no writable cache folder: kernels are compiled anew in every process")
    return None


def _digest() -> str:
    """Changes with everything that machine code depends on beside its sources: compiler and processor."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(metadata.version(package).encode())
    for part in (llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _is_mine(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
