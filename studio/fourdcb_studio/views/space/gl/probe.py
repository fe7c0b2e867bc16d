"""Whether OpenGL can be used here, found out in a process of its own: a bad driver ends only that one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QProcess
from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext, QSurfaceFormat

_LEAST_VERSION = (2, 1)
_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "Software")


class GlProbe(QObject):
    """Asks once; the answer is kept.

    Args:
        found: called with the renderer's name, "" where OpenGL cannot be used.
    """

    def __init__(self, owner: QObject, found: Callable[[str], None]) -> None:
        super().__init__(owner)
        self._found = found
        self._process = QProcess(self)
        self._process.finished.connect(self._read)
        self._process.errorOccurred.connect(lambda _: self._read())
        self._told = False

    def start(self) -> None:
        """Ask. Where Qt draws to no screen there is nothing to ask for."""
        if QGuiApplication.platformName() in ("offscreen", "minimal", "vnc"):
            self._tell("")
            return
        self._process.start(sys.executable, ["-m", "fourdcb_studio.views.space.gl.probe"])

    def close(self) -> None:
        """Ask no more."""
        self._told = True
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(1000)

    def _read(self) -> None:
        told = bytes(self._process.readAllStandardOutput().data()).decode(errors="replace")
        try:
            renderer = str(json.loads(told.splitlines()[-1])["renderer"])
        except (IndexError, KeyError, ValueError):
            renderer = ""  # it ended before it could say anything: there is no OpenGL
        self._tell(renderer)

    def _tell(self, renderer: str) -> None:
        if not self._told:
            self._told = True
            self._found(renderer)


def is_software(renderer: str) -> bool:
    """Whether the processor draws."""
    return any(word in renderer for word in _SOFTWARE)


def surface_format() -> QSurfaceFormat:
    """What the 3D view asks of OpenGL."""
    wanted = QSurfaceFormat()
    wanted.setDepthBufferSize(24)
    wanted.setStencilBufferSize(8)
    return wanted


def main() -> int:
    """Print the renderer's name as JSON; a status of 1 without OpenGL 2.1."""
    application = QGuiApplication(sys.argv[:1])
    context = QOpenGLContext()
    context.setFormat(surface_format())
    surface = QOffscreenSurface()
    if not context.create():
        return 1
    surface.setFormat(context.format())
    surface.create()
    if not context.makeCurrent(surface):
        return 1
    version = context.format().version()
    if version < _LEAST_VERSION:
        return 1
    from vispy.gloo import gl

    sys.stdout.write(json.dumps({"renderer": str(gl.glGetParameter(gl.GL_RENDERER))}) + "\n")
    sys.stdout.flush()
    context.doneCurrent()
    application.quit()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
