"""Compilation of a kernel with numba. Importing this module imports numba."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FunctionType
from typing import Any

import numba as _numba
import numpy as np

from fourdcb.errors import FourDCBError
from fourdcb.kernels.helper import Inline
from fourdcb.kernels.machine import Code

numba: Any = _numba  # its stubs lack what is used here
# Without numba's reference counting: its atomic counters cost more than the arithmetic and make threads wait
# for each other. Kernels therefore allocate nothing, slice nothing and keep no array.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip
_namespaces: dict[int, dict[str, Any]] = {}
_helpers: dict[int, Any] = {}


def compile_kernel(function: Any, args: tuple[Any, ...]) -> Code:
    """Machine code of a kernel for arguments like ``args``."""
    _register_without_blas()
    types = tuple(_type(arg) for arg in args)
    compiled = numba.njit(**_OPTIONS)(_in_namespace(function))
    with _unlinked():
        compiled.compile(types)
    result = compiled.overloads[types]
    module = _linked(result.library)
    _check_self_contained(module)
    return Code(result.fndesc.llvm_func_name, bytes(result.library.codegen._tm.emit_object(module)))


@contextmanager
def _unlinked() -> Iterator[None]:
    """Lets numba stop at each function's own code.

    It would otherwise link every helper with all that it calls, optimise that and make machine code of it,
    over and over again up to the kernel: most of the time that a large kernel takes.
    """
    codegen: Any = importlib.import_module("numba.core.codegen")
    target = codegen.JITCPUCodegen

    class _Part(codegen.JITCodeLibrary):
        def finalize(self) -> None:
            self._raise_if_finalized()
            self._finalized = True

    whole, tell = target._library_class, target.set_env
    target._library_class, target.set_env = _Part, lambda *_: None
    try:
        yield
    finally:
        target._library_class, target.set_env = whole, tell


def _linked(library: Any) -> Any:
    """The code of a kernel and of all that it calls as one module, optimised once."""
    waiting, seen = list(library._linking_libraries), {id(library)}
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            library._final_module.link_in(part._get_module_for_linking(), preserve=True)
            waiting += part._linking_libraries
    library._optimize_final_module()
    library._final_module.verify()
    return library._final_module


def compiled_helper(helper: Inline[..., Any]) -> Any:
    """A helper as numba's function, to be called from other compiled code."""
    known = _helpers.get(id(helper))  # helpers are module level names: they live as long as the process
    if known is None:
        options = {**_OPTIONS, "forceinline": helper.forced}
        known = _helpers[id(helper)] = numba.njit(**options)(_in_namespace(helper.function))
        known.get_call_template = partial(_call_template, known.get_call_template)
    return known


def _call_template(template: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
    """Numba's, without a copy of the function for every constant that it is called with."""
    plain = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
    return template(tuple(numba.types.unliteral(kind) for kind in args), plain)


def _in_namespace(function: Any) -> FunctionType:
    """The function with the helpers among its globals replaced by compiled ones."""
    space = function.__globals__
    if id(space) not in _namespaces:
        own = _namespaces[id(space)] = dict(space)
        for name, value in space.items():
            if isinstance(value, Inline):
                own[name] = compiled_helper(value)
    return FunctionType(function.__code__, _namespaces[id(space)], function.__name__)


def _type(arg: Any) -> Any:
    if isinstance(arg, np.ndarray):  # a read-only one gets the code of a writable one
        return numba.types.Array(numba.from_dtype(arg.dtype), arg.ndim, "C")
    if isinstance(arg, tuple):
        return numba.types.BaseTuple.from_types([_type(item) for item in arg], type(arg))
    return numba.typeof(arg)


def _check_self_contained(module: Any) -> None:
    """Only the processor and the C library may be needed: calls into numba cannot be loaded without it."""
    foreign = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    foreign = [name for name in foreign if name not in _C_FUNCTIONS]
    if foreign:
        raise FourDCBError(f"a kernel calls {', '.join(foreign)}, which needs numba at run time")


_C_FUNCTIONS = (
    "pow", "fmod", "cos", "sin", "sqrt", "memset", "memcpy", "memmove", "atan2", "exp", "log", "hypot",
    "asinh", "acos", "asin", "floor", "ceil",
)  # fmt: skip


def _register_without_blas() -> None:
    """Let numba skip its linear algebra, for which it would import SciPy's: no kernel uses it."""
    if "numba.np.arraymath" in sys.modules:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    look_for_blas = linalg.ensure_blas
    linalg.ensure_blas = _no_blas
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look_for_blas


def _no_blas() -> None:
    raise ImportError("the kernels need no linear algebra")
