"""Machine code into callable functions, with llvmlite alone."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from fourdcb.errors import FourDCBError
from fourdcb.kernels.arguments import Layout

_FINE = (0, -2)  # numba's status of a return with a value, and without one
_NUMBERS: dict[str, Any] = {"b": ctypes.c_bool, "i": ctypes.c_int64, "d": ctypes.c_double}


class Code(NamedTuple):
    """A compiled kernel: its symbol and the object file that defines it."""

    symbol: str
    object_file: bytes


def load(code: Code, layouts: tuple[Layout, ...]) -> Callable[..., None]:
    """A function of flattened arguments that releases the GIL while it runs."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_file))
    engine.finalize_object()
    address = engine.get_function_address(code.symbol)
    if not address:
        raise FourDCBError(f"the compiled kernel {code.symbol} has no entry")
    types = [kind for layout in layouts for kind in _types(layout)]
    # Before the arguments come the places of the result and of an exception; kernels have neither.
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *types)(address)

    def run(*values: Any) -> None:
        result, error = ctypes.c_void_p(), ctypes.c_void_p()
        status = function(ctypes.addressof(result), ctypes.addressof(error), *values)
        if status not in _FINE:
            raise FourDCBError(f"a kernel failed with status {status}")

    return run


def _types(layout: Layout) -> list[Any]:
    if isinstance(layout, str):
        return [_NUMBERS[layout]]
    if len(layout) == 2 and isinstance(layout[0], str) and isinstance(layout[1], int):
        return (
            [ctypes.c_void_p] * 2
            + [ctypes.c_int64] * 2
            + [ctypes.c_void_p]
            + [ctypes.c_int64] * 2 * layout[1]
        )
    return [kind for item in layout for kind in _types(item)]


@cache
def _engine() -> Any:
    """One engine for all kernels; it lives as long as the process, and so does the code in it."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    x86 = target.name.startswith("x86")
    machine = target.create_target_machine(
        opt=3, reloc="static" if x86 else "default", codemodel="jitdefault", jit=True
    )
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
