"""The plots as files: a picture, a drawing, a table."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

from fourdcb.errors import UserError
from fourdcb.identity import write_atomic
from fourdcb_studio.theme import tokens
from fourdcb_studio.views.plots.data import curves_table, maps_table
from fourdcb_studio.views.plots.view import PlotsView

_SCALE = 2  # of the picture: sharp in a document


def write_plots(view: PlotsView, path: Path) -> None:
    """Write what is plotted as the suffix says.

    Raises:
        UserError: there is nothing to write, the suffix is none of png, svg, csv, or the file cannot be
            written.
    """
    stack = view.shown_stack()
    if stack is None:
        raise UserError("there is nothing to plot", hint="open a script, or choose quantities and objects")
    kind = path.suffix.lower()
    if kind == ".csv":
        data = view.shown_data()
        _write(path, (maps_table(data) if view.page == "maps" else curves_table(data)).encode())
    elif kind == ".svg":
        _write_svg(stack, path)
    elif kind == ".png":
        if not _image(stack).save(str(path)):
            raise UserError("cannot write the picture", where=str(path))
    else:
        raise UserError("plots cannot be written so", where=str(path), got=kind, expected=".png, .svg, .csv")


def _image(stack: QGraphicsView) -> QImage:
    size = stack.viewport().size()
    image = QImage(size * _SCALE, QImage.Format.Format_RGB32)
    image.fill(tokens().color("background"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    stack.render(painter, QRectF(image.rect()))
    painter.end()
    return image


def _write_svg(stack: QGraphicsView, path: Path) -> None:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    size: QSize = stack.viewport().size()
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(size)
    drawing.setViewBox(QRectF(0, 0, size.width(), size.height()))
    painter = QPainter(drawing)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), tokens().color("background"))
    stack.render(painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    _write(path, bytes(buffer.data().data()))


def _write(path: Path, content: bytes) -> None:
    try:
        write_atomic(path, content)
    except OSError as error:
        raise UserError("cannot write the plots", where=str(path), got=str(error.strerror)) from error
