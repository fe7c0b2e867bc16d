"""Scores samples one by one as they come, while the gallery that is asked grows or is built anew."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32
from fourdcb.errors import UserError
from fourdcb.x4val.consistency import Gallery, class_consistency
from fourdcb.x4val.encoders import Encoder
from fourdcb.x4val.pictures import Frames

ALERT_BELOW = 0.60  # of the source document: a sample whose neighbours disagree more is looked at


@dataclass(frozen=True, slots=True)
class OnlineScore:
    """What the gallery says of one sample.

    Attributes:
        consistency: share of its neighbours that are of the class it was given; None where it has too few.
        gallery: samples that could be asked.
    """

    consistency: float | None
    gallery: int

    @property
    def alert(self) -> bool:
        """Whether somebody should look: too little agreement, or nobody to agree with."""
        return self.consistency is None or self.consistency < ALERT_BELOW


class OnlineScorer:
    """Answers from any number of threads; whoever grows or replaces the gallery holds nobody up.

    A gallery is never written to: growing makes another one, and taking it into use is one assignment. A
    question keeps the gallery that it began with to its end.

    Args:
        encoder: embeds samples; the gallery's embeddings are its own.
        gallery: whom to ask at first.
        k: neighbours that are asked.
    """

    def __init__(self, encoder: Encoder, gallery: Gallery, *, k: int = 5) -> None:
        self._encoder, self._k = encoder, k
        self._writing = threading.Lock()
        self._gallery = self._checked(gallery)

    @property
    def gallery(self) -> Gallery:
        """The one in use."""
        return self._gallery

    def score(self, frames: Frames, label: str, *, cluster: str = "") -> OnlineScore:
        """Embed one sample and ask its neighbours.

        Args:
            frames: RGB, shape (T, H, W, 3).
            label: the class that the model gives it.
            cluster: what it shares with samples that must not be asked (scene, patient, device).
        """
        gallery = self._gallery
        queries = self._encoder.embed(frames)[None, :]
        (share,) = class_consistency(queries, [label], [cluster], gallery, k=self._k)
        return OnlineScore(None if np.isnan(share) else float(share), gallery.index.count)

    def grow(self, embeddings: F32, labels: Sequence[str | None], clusters: Sequence[str]) -> None:
        """Add samples, shape (N, D); best many at a time, since the index is copied.

        Raises:
            UserError: embeddings, labels and clusters differ in number.
        """
        if not len(embeddings) == len(labels) == len(clusters):
            raise UserError(
                "embeddings, labels and clusters differ in number",
                got=f"{len(embeddings)}, {len(labels)}, {len(clusters)}",
            )
        with self._writing:  # two that grow at once must not lose each other's samples
            old = self._gallery
            self._gallery = Gallery(
                old.index.grown(embeddings), (*old.labels, *labels), (*old.clusters, *clusters)
            )

    def replace(self, gallery: Gallery) -> None:
        """Take another gallery into use, one built anew overnight, say.

        Raises:
            UserError: it holds fewer samples than are asked.
        """
        with self._writing:
            self._gallery = self._checked(gallery)

    def _checked(self, gallery: Gallery) -> Gallery:
        if gallery.index.count < self._k:
            raise UserError(
                "the gallery is too small",
                got=f"{gallery.index.count} samples",
                expected=f"{self._k} or more",
            )
        return gallery
