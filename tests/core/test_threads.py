"""The commands leave the processors to whoever needs them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_TOLD = """
import sys
from fourdcb.cli import main
try:
    main(["--version"])
except SystemExit:
    pass
assert "numpy" not in sys.modules
import numpy
from threadpoolctl import threadpool_info
print([pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"][0])
"""


@pytest.mark.parametrize(("asked", "found"), [(None, 1), ("2", min(2, os.cpu_count() or 1))])
def test_a_command_computes_products_by_one_thread_unless_told_otherwise(asked, found):
    pytest.importorskip("threadpoolctl")
    env = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    if asked is not None:
        env["OPENBLAS_NUM_THREADS"] = asked
    done = subprocess.run([sys.executable, "-c", _TOLD], env=env, capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) == found
