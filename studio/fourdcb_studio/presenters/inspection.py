"""Feeds the pixel inspector: the same pixel of every picture, and the histograms of both."""

from __future__ import annotations

from collections.abc import Callable

from fourdcb_studio.bench import Bench
from fourdcb_studio.presenters.sight import Sight
from fourdcb_studio.presenters.words import color_at
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.state import ShownImage
from fourdcb_studio.views.compare.pixel_table import PixelRow
from fourdcb_studio.views.compare.tone import Tone
from fourdcb_studio.views.plots.histogram import counts
from fourdcb_studio.workspace import Workspace


class Inspection:
    """Shows what lies under the mouse while the inspector is open; a closed one costs nothing.

    Args:
        bench: whose images.
        parts: where the inspector and the images lie.
        sight: asks what lies under the pixels.
    """

    def __init__(self, bench: Bench, parts: Workspace, sight: Sight) -> None:
        self._bench, self._images, self._panel = bench, parts.images, parts.inspector
        self._sight = sight
        self._pixel = (-1, -1)
        self._counted: tuple[object, ...] = ()
        self._panel.tone_changed.connect(self._set_tone)
        parts.images.hovered.connect(self._on_pixel)
        self._panel.setVisible(False)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its action does."""
        return {"inspector": self.toggle}

    def toggle(self) -> None:
        """Open or close it."""
        self._panel.setVisible(self._panel.isHidden())
        self.show()

    def show(self) -> None:
        """Bring the open inspector up to date."""
        open_ = not self._panel.isHidden()
        roles: tuple[Role, ...] = ("candidate", "reference", "before") if open_ else ()
        self._sight.inspect(roles if self._pixel[0] >= 0 else ())
        if open_:
            self._show_counts()
            self._show_rows()

    def _on_pixel(self, x: int, y: int) -> None:
        if x >= 0:  # the last pixel stays: the mouse leaves the image to reach the controls
            self._pixel = (x, y)
        self.show()

    def _set_tone(self, tone: Tone) -> None:
        self._images.set_tone(tone)
        self.show()

    def _show_counts(self) -> None:
        shown, channel = self._bench.view.images(), self._panel.channel()
        now = (shown.original.version, shown.replay.version, channel)
        if now != self._counted:
            self._counted = now
            found = [
                None if s.image is None else counts(s.image, channel) for s in (shown.original, shown.replay)
            ]
            self._panel.histogram.set_counts(*found)

    def _show_rows(self) -> None:
        x, y = self._pixel
        if x < 0:
            self._panel.table.set_rows("", ())
            return
        shown = self._bench.view.images()
        rows = [self._row("reference", shown.original), self._row("candidate", shown.replay)]
        if self._bench.view.shows_before:
            rows.append(self._row("before", shown.before))
        self._panel.table.set_rows(f"x {x}  y {y}", rows)

    def _row(self, role: Role, shown: ShownImage) -> PixelRow:
        x, y = self._pixel
        name, rgb = shown.label.lower()[:9], color_at(shown, x, y)
        probe = self._bench.session.probe(role)
        pixel = probe.pixel(x, y) if probe is not None else None
        if pixel is None:
            return PixelRow(name=name, rgb=rgb)
        return PixelRow(name=name, rgb=rgb, depth=pixel.depth, normal=pixel.normal, object=pixel.body)
