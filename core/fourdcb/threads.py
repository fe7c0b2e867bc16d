"""How many threads the libraries below take; to be said before they are loaded."""

from __future__ import annotations

import os

THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
)  # fmt: skip


def calm_blas() -> None:
    """One thread for NumPy's products unless the environment says otherwise; in vain once NumPy is loaded.

    Products here are small and many. OpenBLAS shares each among all processors and its threads spin while
    they wait: twenty probe heads took 7 times as long by two threads as by one, and every process beside
    them suffered.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
