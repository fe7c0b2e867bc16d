"""How the engine's inner loops are marked for compilation; see :mod:`fourdcb.kernels`."""

from fourdcb.kernels.jit import inline as inline
from fourdcb.kernels.jit import routine as compiled

__all__ = ["compiled", "inline"]
