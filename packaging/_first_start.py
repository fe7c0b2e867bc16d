"""Makes the first start quick: run by the environment's Python at the end of the set-up.

Compiles the kernels of the renderer and of the contact solver, and judges the bundled example once, so that
everything that a judgement or the Studio imports lies there as bytecode.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path


def main(scene: Path) -> int:
    """Warm up with ``scene``; 0 when what was made is kept."""
    from fourdcb.physics.contact.warm_up import compile_engine
    from fourdcb.render import compile_kernels

    kept = compile_kernels() and compile_engine()
    _judge(scene)
    for name in ("fourdcb_studio.app", "fourdcb_studio.main_window"):
        try:
            importlib.import_module(name)
        except ImportError as error:  # without the libraries of a screen only its bytecode is missing
            print(f"{name}: {error}")
    return 0 if kept else 1


def _judge(scene: Path) -> None:
    from fourdcb.cli import main as fourdcb

    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        code, video = str(scene / "candidates" / "wrong_restitution.py"), str(scene / "video.mp4")
        try:
            fourdcb(["eval", "--code", code, "--video", video, "--output", report])
        except SystemExit as end:
            if end.code not in (0, 1):
                raise


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
