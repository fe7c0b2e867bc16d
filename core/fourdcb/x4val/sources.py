"""Sources read from disk: their samples, labels and embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fourdcb.arrays import F32
from fourdcb.errors import UserError
from fourdcb.identity import content_hash, file_sha256, write_atomic
from fourdcb.progress import NullProgress, Progress
from fourdcb.randomness import generator
from fourdcb.x4val.config import DataSource, X4ValConfig
from fourdcb.x4val.encoders import Encoder
from fourdcb.x4val.labels import Label, read_labels
from fourdcb.x4val.pictures import find_samples, read_frames

_MISALIGNED = 0.1  # share of labels without a sample above which files and labels are of different sets


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One picture or clip: where it is, what is known of it, and the cluster it was joined to, if any."""

    source: str
    id: str
    path: Path
    label: Label | None = None
    joined: str | None = None

    @property
    def cluster(self) -> str:
        """Name of what it shares with others; its own where it shares nothing."""
        if self.joined is not None:
            return self.joined
        own = self.label.cluster if self.label is not None else None
        return f"{self.source}/{self.id}" if own is None else own


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source with its samples.

    Attributes:
        config: its entry.
        samples: sorted by id.
        unlabelled: samples that its labels do not name.
        orphans: labels that name no sample.
    """

    config: DataSource
    samples: tuple[Sample, ...]
    unlabelled: int = 0
    orphans: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.config.name

    def classes(self) -> Mapping[str, int]:
        """Samples by class."""
        names = [sample.label.name for sample in self.samples if sample.label is not None]
        found, counts = np.unique(np.asarray(names, dtype=str), return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))


def load_source(config: X4ValConfig, source: DataSource) -> Source:
    """Samples of one source with their labels.

    Raises:
        UserError: a folder or label file is missing or wrong, or labels and files are of different sets.
    """
    folder = config.resolve(source.path)
    files = find_samples(folder)
    samples = [Sample(source=source.name, id=p.relative_to(folder).as_posix(), path=p) for p in files]
    if source.label_path is None:
        return Source(config=source, samples=tuple(samples))
    label_path = config.resolve(source.label_path)
    labels = read_labels(label_path)
    by_stem = {Path(key).with_suffix("").as_posix(): label for key, label in labels.items()}
    named = [replace(s, label=labels.get(s.id) or by_stem.get(_stem(s.id))) for s in samples]
    there = {s.id for s in samples} | {_stem(s.id) for s in samples}
    orphans = tuple(
        key for key in labels if key not in there and Path(key).with_suffix("").as_posix() not in there
    )
    if len(orphans) > _MISALIGNED * len(labels):
        raise UserError(
            "labels and samples are of different sets", where=str(label_path),
            got=f"{len(orphans)} of {len(labels)} labels name no sample, the first {orphans[0]!r}",
            expected=f"names such as {samples[0].id!r}", hint="check path and label_path of this source",
        )  # fmt: skip
    return Source(
        config=source,
        samples=tuple(named),
        orphans=orphans,
        unlabelled=sum(sample.label is None for sample in named),
    )


def _stem(name: str) -> str:
    return Path(name).with_suffix("").as_posix()


def embed_samples(
    samples: Sequence[Sample],
    encoder: Encoder,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> F32:
    """Embeddings, shape (n, dimension), in the order of the samples.

    Args:
        samples: what to embed.
        encoder: by which.
        cache: folder of embeddings kept by the content of the file and the encoder; None keeps none.
        progress: one step a sample.

    Raises:
        UserError: a sample cannot be read, or its embedding is not finite.
    """
    told = progress or NullProgress()
    told.start("embedding", len(samples))
    found = np.empty((len(samples), encoder.dimension), dtype=np.float32)
    for k, sample in enumerate(samples):
        found[k] = _embedding(sample, encoder, cache)
        told.advance()
    return found


def _embedding(sample: Sample, encoder: Encoder, cache: Path | None) -> F32:
    kept: Path | None = None
    if cache is not None:
        key = content_hash({"file": file_sha256(sample.path), "encoder": encoder.name})
        kept = cache / key[:2] / f"{key}.f32"
        if kept.is_file():
            vector = np.frombuffer(kept.read_bytes(), dtype=np.float32)
            if len(vector) == encoder.dimension:
                return vector
    vector = encoder.embed(read_frames(sample.path))
    if not np.isfinite(vector).all():
        raise UserError("an embedding is not finite", where=str(sample.path), got=encoder.name)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(kept, vector.astype(np.float32).tobytes())
    return vector


def choose(samples: Sequence[Sample], count: int, *, seed: int = 0) -> tuple[Sample, ...]:
    """At most ``count`` labelled samples of each source, drawn by cluster so that the rest can be the pool.

    Whole clusters are taken until the count is reached; the last may carry it beyond.
    """
    chosen: list[Sample] = []
    for name in dict.fromkeys(sample.source for sample in samples):
        clusters: dict[str, list[Sample]] = {}
        for sample in samples:
            if sample.source == name and sample.label is not None:
                clusters.setdefault(sample.cluster, []).append(sample)
        order = generator(seed, f"x4val/choose/{name}").permutation(len(clusters))
        keys, taken = sorted(clusters), 0
        for i in order:
            if taken >= count:
                break
            chosen += clusters[keys[i]]
            taken += len(clusters[keys[i]])
    return tuple(chosen)
