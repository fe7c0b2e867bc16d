"""A place to draw that is no window: what is drawn comes back as a picture.

A GL canvas in the window would have Qt compose the whole window through OpenGL, which costs every slider; a
picture is painted like all others, and is there when the window is grabbed.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QOffscreenSurface, QOpenGLContext
from PySide6.QtOpenGL import QOpenGLFramebufferObject, QOpenGLFramebufferObjectFormat

from fourdcb_studio.views.space.gl.probe import surface_format


class NoContext(Exception):
    """OpenGL gives no context here."""


class GlSurface:
    """A context with a picture to draw into.

    Raises:
        NoContext: when OpenGL gives none.
    """

    def __init__(self) -> None:
        self._context = QOpenGLContext()
        self._context.setFormat(surface_format())
        self._surface = QOffscreenSurface()
        if not self._context.create():
            raise NoContext
        self._surface.setFormat(self._context.format())
        self._surface.create()
        self._pictures: dict[int, QOpenGLFramebufferObject] = {}
        self._picture: QOpenGLFramebufferObject | None = None
        if not self._context.makeCurrent(self._surface):
            raise NoContext

    def begin(self, size: QSize, *, samples: int) -> None:
        """Draw into a picture of ``size`` px with ``samples`` of antialiasing from here on."""
        if not self._context.makeCurrent(self._surface):
            raise NoContext
        self._picture = self._pictures.get(samples)
        if self._picture is None or self._picture.size() != size:
            wanted = QOpenGLFramebufferObjectFormat()
            wanted.setAttachment(QOpenGLFramebufferObject.Attachment.CombinedDepthStencil)
            wanted.setSamples(samples)
            self._picture = self._pictures[samples] = QOpenGLFramebufferObject(size, wanted)
        self._picture.bind()

    def picture_name(self) -> int:
        """OpenGL's number of the picture."""
        assert self._picture is not None
        return int(self._picture.handle())

    def end(self) -> QImage:
        """What was drawn."""
        assert self._picture is not None
        image = self._picture.toImage()
        self._picture.release()
        return image.convertToFormat(QImage.Format.Format_RGB32)

    def close(self) -> None:
        """Give everything back."""
        if self._context.makeCurrent(self._surface):
            self._picture = None
            self._pictures.clear()
            self._context.doneCurrent()
        self._surface.destroy()
