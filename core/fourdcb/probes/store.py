"""Features on disk: one file an array, named by everything that it depends on; a kill loses one window."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32, I64
from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, content_hash, jsonable, write_output
from fourdcb.probes.encoders.contract import EncoderSpec
from fourdcb.probes.orders import Order, frame_order
from fourdcb.probes.samples import Sample, SampleTable
from fourdcb.probes.windows import WindowSettings

F16 = NDArray[np.float16]
_FOLDER, _SPEC = "features", "encoder.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureStore:
    """The features of one encoder in a work folder.

    Attributes:
        folder: where its files lie.
        spec: of the encoder.
        settings: of the windows.
        token_grid: patch tokens are averaged to at most so many along each side; 0 keeps all.
    """

    folder: Path
    spec: EncoderSpec
    settings: WindowSettings
    token_grid: int

    @classmethod
    def create(cls, work: Path, spec: EncoderSpec, settings: WindowSettings, token_grid: int) -> FeatureStore:
        """The store of an encoder, made where it is missing.

        Raises:
            UserError: features of another revision of the same encoder lie there.
        """
        folder = work / _FOLDER / slug(spec.name)
        store = cls(folder=folder, spec=spec, settings=settings, token_grid=token_grid)
        stated = json.loads(canonical_json(store.identity()))
        path = folder / _SPEC
        if path.is_file() and _has_features(folder):  # an encoder that was refused leaves none
            if _read(path) != stated:
                raise UserError(
                    "features of another revision of this encoder lie here", where=str(folder),
                    got=str(_read(path)), expected=str(stated),
                    hint="remove that folder, or extract into another one: revisions must not be mixed",
                )  # fmt: skip
        else:
            folder.mkdir(parents=True, exist_ok=True)
            write_output(path, canonical_json(stated))
        return store

    @classmethod
    def load(cls, work: Path, name: str, settings: WindowSettings) -> FeatureStore:
        """The store of an encoder that was extracted. Raises UserError where there is none."""
        path = work / _FOLDER / slug(name) / _SPEC
        if not path.is_file():
            raise UserError(
                "there are no features of this encoder", where=str(work), got=name,
                expected=", ".join(extracted(work)) or "none were extracted",
                hint=f"fourdcb probe extract --encoder {name}",
            )  # fmt: skip
        stated = _read(path)
        stated_spec: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in stated["spec"].items()}
        made = EncoderSpec(**stated_spec)
        return cls(folder=path.parent, spec=made, settings=settings, token_grid=stated["token_grid"])

    def identity(self) -> dict[str, Any]:
        """What all of its features depend on, beside the pictures."""
        return {"spec": jsonable(self.spec), "token_grid": self.token_grid, "side": self.settings.side}

    def has(self, sample: Sample, orders: Sequence[Order]) -> bool:
        """Whether the features of a sample are there whole."""
        return all(self._path(sample, order, "cls").is_file() for order in orders)

    def write(self, sample: Sample, order: Order, cls: F32, patches: F32) -> None:
        """Keep the features of one sample, shapes (D,) and (T', h, w, D'); [CLS] last, as it says "whole"."""
        if order == "ordinary" or not self.spec.framewise:
            pooled = pool_tokens(patches, self.token_grid)
            with np.errstate(over="ignore"):
                small = pooled.astype(np.float16)
            if not np.isfinite(small).all():
                raise UserError(
                    "patch tokens do not fit into half floats", where=f"encoder {self.spec.name}",
                    got=f"up to {np.abs(pooled).max():.3g}", expected="65504 at most",
                    hint="read another layer (NAME@LAYER), or normalise the tokens in your encoder",
                )  # fmt: skip
            write_output(self._path(sample, order, "patches"), _npy(small))
        write_output(self._path(sample, order, "cls"), _npy(cls.astype(np.float32)))

    def cls(self, table: SampleTable, order: Order = "ordinary") -> F32:
        """[CLS] of all samples, shape (N, D), read-only."""
        return _sealed(np.stack([self._load(sample, order, "cls") for sample in table.samples]))

    def patches(self, table: SampleTable, order: Order = "ordinary", rows: I64 | None = None) -> F16:
        """Patch tokens of samples, half floats, shape (N, T', h, w, D'), read-only.

        Of a frame-wise encoder ``one_frame`` gives the tokens once (T' = 1): attention over copies of a token
        is attention over the token.
        """
        samples = table.samples if rows is None else [table.samples[i] for i in rows]
        stored: Order = "ordinary" if self.spec.framewise else order
        found: F16 = np.stack([self._load(sample, stored, "patches") for sample in samples])
        if stored != order:  # a frame's tokens have seen that frame alone: only their order changes
            picked = frame_order(order, self.settings.frames)
            found = found[:, picked[:1] if order == "one_frame" else picked]
        found.setflags(write=False)
        return found

    def _load(self, sample: Sample, order: Order, part: str) -> NDArray[Any]:
        path = self._path(sample, order, part)
        try:
            return np.asarray(np.load(path, allow_pickle=False))
        except FileNotFoundError as error:
            raise UserError(
                "features of a sample are missing", where=str(self.folder), got=f"{sample.id}, {order}",
                hint="run fourdcb probe extract again; it goes on where it stopped",
            ) from error  # fmt: skip
        except (OSError, ValueError) as error:
            raise UserError(
                "a file of features is damaged", where=str(path), got=str(error),
                hint="remove it and run fourdcb probe extract again",
            ) from error  # fmt: skip

    def _path(self, sample: Sample, order: Order, part: str) -> Path:
        key = content_hash([sample.video_sha256, list(sample.window.frames), self.identity()])
        return self.folder / f"{key[:32]}.{order}.{part}.npy"


def extracted(work: Path) -> tuple[str, ...]:
    """Names of the encoders whose features lie in a work folder."""
    paths = [path for path in sorted((work / _FOLDER).glob(f"*/{_SPEC}")) if _has_features(path.parent)]
    return tuple(str(_read(path)["spec"]["name"]) for path in paths)


def _has_features(folder: Path) -> bool:
    return next(folder.glob("*.npy"), None) is not None


def pool_tokens(patches: F32 | F16, most: int) -> F32 | F16:
    """Tokens (T', h, w, D) averaged so that neither side has more than ``most`` cells.

    Where the sides do not divide, cells overlap by a row or column, as in torch's adaptive pooling.
    """
    if most <= 0 or max(patches.shape[1:3]) <= most:
        return patches
    return _pooled(_pooled(patches, most, axis=1), most, axis=2)


def _pooled(values: F32 | F16, most: int, *, axis: int) -> F32 | F16:
    size = values.shape[axis]
    if size <= most:
        return values
    bounds = [(k * size // most, -(-(k + 1) * size // most)) for k in range(most)]
    cells = [values.take(range(a, b), axis=axis).mean(axis=axis, dtype=np.float32) for a, b in bounds]
    return np.stack(cells, axis=axis)


def slug(name: str) -> str:
    """A name as a folder's name: of what had to be changed a hash tells which name it was."""
    plain = re.sub(r"[^A-Za-z0-9_.@-]+", "_", name)[:80]
    return plain if plain == name and plain.strip(".") else f"{plain}-{content_hash(name)[:8]}"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError("the encoder's record cannot be read", where=str(path)) from error
    return dict(found)


def _npy(values: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=False)
    return stream.getvalue()


def _sealed(values: F32) -> F32:
    values.setflags(write=False)
    return values
