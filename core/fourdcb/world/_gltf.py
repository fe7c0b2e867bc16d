"""GLB files as trimesh reads them rightly: every accessor dense, in its own scale and decompressed.

trimesh takes normalised integers for plain ones, sparse accessors for zeros, and a Draco mesh that it cannot
decode for a mesh at one point. Here such accessors are written out before it reads the file; vertex colours
go under a name of their own (``_COLOR_0``), since trimesh rounds them to bytes.

Source: Khronos, glTF 2.0 specification, sections 3.6.2 (accessors) and 4.4 (GLB), KHR_mesh_quantization,
KHR_draco_mesh_compression.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError

COLOURS = "_COLOR_0"
_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_FLOAT, _DRACO = 5126, "KHR_draco_mesh_compression"
_MAGIC, _JSON, _BIN = b"glTF", b"JSON", b"BIN\0"
READ = (
    "KHR_mesh_quantization", _DRACO, "KHR_materials_unlit", "KHR_lights_punctual",
    "KHR_materials_pbrSpecularGlossiness", "EXT_texture_webp", "KHR_materials_specular", "KHR_materials_ior",
)  # fmt: skip


def plain_glb(data: bytes, *, where: str) -> bytes:
    """A GLB file's bytes with dense, plain accessors.

    Raises:
        UserError: when the file is broken, needs an extension that cannot be read, or keeps its data in other
            files.
    """
    try:
        header, blob = _parts(data)
        file = _File(header, blob, where)
        return file.plain()
    except (KeyError, IndexError, ValueError, TypeError, struct.error) as error:
        raise UserError(
            "the GLB file is broken", where=where, got=f"{type(error).__name__}: {error}"
        ) from error


def _parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    magic, version, _ = struct.unpack_from("<4sII", data)
    if magic != _MAGIC or version != 2:
        raise ValueError("it does not begin like a GLB file of version 2")
    header: dict[str, Any] | None = None
    blob, offset = b"", 12
    while offset + 8 <= len(data):
        length, kind = struct.unpack_from("<I4s", data, offset)
        chunk = data[offset + 8 : offset + 8 + length]
        header = json.loads(chunk) if kind == _JSON and header is None else header
        blob = chunk if kind == _BIN else blob
        offset += 8 + length
    if not isinstance(header, dict):
        raise ValueError("it holds no description")
    return header, blob


class _File:
    """One file while it is rewritten."""

    def __init__(self, header: dict[str, Any], blob: bytes, where: str) -> None:
        self._header, self._blob, self._where = header, bytearray(blob), where

    def plain(self) -> bytes:
        """The rewritten file."""
        self._check_extensions()
        for mesh in self._header.get("meshes", []):
            for primitive in mesh["primitives"]:
                self._decompress(primitive)
        for index, accessor in enumerate(self._header.get("accessors", [])):
            if accessor.get("normalized") or "sparse" in accessor:
                self._store(index, self._values(accessor))
        self._name_colours()
        text = json.dumps(self._header).encode()
        text += b" " * (-len(text) % 4)
        self._blob += b"\0" * (-len(self._blob) % 4)
        chunks = struct.pack("<I4s", len(text), _JSON) + text
        chunks += struct.pack("<I4s", len(self._blob), _BIN) + self._blob
        return struct.pack("<4sII", _MAGIC, 2, 12 + len(chunks)) + chunks

    def _check_extensions(self) -> None:
        unknown = sorted(set(self._header.get("extensionsRequired", [])) - set(READ))
        if unknown:
            raise UserError(
                "the mesh file needs an extension that cannot be read",
                where=self._where,
                got=", ".join(unknown),
                hint="Export it without compression.",
            )
        if any("uri" in buffer for buffer in self._header.get("buffers", [])):
            raise UserError("the mesh file keeps its data in other files", where=self._where,
                            expected="a GLB file that holds all its data")  # fmt: skip
        self._header.get("buffers", [{}])[0]["byteLength"] = len(self._blob)

    def _view(self, index: int) -> memoryview:
        view = self._header["bufferViews"][index]
        start = view.get("byteOffset", 0)
        if start + view["byteLength"] > len(self._blob):
            raise ValueError("a buffer view ends beyond the data")
        return memoryview(bytes(self._blob[start : start + view["byteLength"]]))

    def _raw(self, view: int, offset: int, count: int, columns: int, kind: int) -> NDArray[Any]:
        dtype = np.dtype(_DTYPES[kind])
        stride = self._header["bufferViews"][view].get("byteStride") or columns * dtype.itemsize
        data = self._view(view)
        if count and offset + (count - 1) * stride + columns * dtype.itemsize > len(data):
            raise ValueError("an accessor ends beyond its view")
        return np.ndarray((count, columns), dtype, data, offset, (stride, dtype.itemsize)).copy()

    def _values(self, accessor: dict[str, Any]) -> NDArray[Any]:
        """Its values, shape (count, columns): float32 in their own scale where they are normalised."""
        count, columns, kind = accessor["count"], _COLUMNS[accessor["type"]], accessor["componentType"]
        values = np.zeros((count, columns), np.dtype(_DTYPES[kind]))
        if "bufferView" in accessor:
            values = self._raw(accessor["bufferView"], accessor.get("byteOffset", 0), count, columns, kind)
        if (sparse := accessor.get("sparse")) is not None:
            where, what = sparse["indices"], sparse["values"]
            rows = self._raw(
                where["bufferView"], where.get("byteOffset", 0), sparse["count"], 1, where["componentType"]
            )[:, 0]
            values[rows] = self._raw(
                what["bufferView"], what.get("byteOffset", 0), sparse["count"], columns, kind
            )
        if accessor.get("normalized"):
            limits = np.iinfo(values.dtype)
            values = np.maximum(values.astype(np.float64) / limits.max, -1.0).astype("<f4")
        return values

    def _store(self, index: int, values: NDArray[Any]) -> None:
        """Let an accessor hold ``values`` in a view of its own."""
        self._blob += b"\0" * (-len(self._blob) % 4)
        data = np.ascontiguousarray(values).tobytes()
        views = self._header.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self._blob), "byteLength": len(data)})
        self._blob += data
        self._header["buffers"][0]["byteLength"] = len(self._blob)
        kind = next(k for k, name in _DTYPES.items() if np.dtype(name) == values.dtype)
        accessor = self._header["accessors"][index]
        for key in ("sparse", "normalized", "byteOffset", "min", "max"):
            accessor.pop(key, None)
        accessor |= {"bufferView": len(views) - 1, "componentType": kind, "count": len(values)}

    def _decompress(self, primitive: dict[str, Any]) -> None:
        packed = primitive.get("extensions", {}).pop(_DRACO, None)
        if packed is None:
            return
        try:
            import DracoPy
        except ImportError as error:
            hint = "Run pip install 'fourdcb[draco]', or export it without."
            raise UserError("the mesh file is compressed with Draco", where=self._where, hint=hint) from error
        try:
            decoded = DracoPy.decode(bytes(self._view(packed["bufferView"])))
        except Exception as error:  # DracoPy raises its own kinds
            raise UserError("the mesh file's Draco data cannot be decoded", where=self._where,
                            got=str(error)) from error  # fmt: skip
        names = {ident: name for name, ident in packed["attributes"].items()}
        for attribute in decoded.attributes:
            name = names.get(attribute["unique_id"])
            if name is not None:
                data = np.asarray(attribute["data"])
                data = data.astype("<f4") if data.dtype == np.float64 else data
                self._store(primitive["attributes"][name], data.reshape(len(data), -1))
        if "indices" in primitive:
            self._store(primitive["indices"], np.asarray(decoded.faces, dtype="<u4").reshape(-1, 1))

    def _name_colours(self) -> None:
        """Vertex colours under ``COLOURS`` as float32 [V, 3] in all primitives, white where one has none."""
        primitives = [p for mesh in self._header.get("meshes", []) for p in mesh["primitives"]]
        if not any("COLOR_0" in p["attributes"] for p in primitives):
            return
        for primitive in primitives:
            attributes = primitive["attributes"]
            if "POSITION" not in attributes:
                continue
            count = self._header["accessors"][attributes["POSITION"]]["count"]
            colours = np.ones((count, 3), "<f4")
            if (index := attributes.pop("COLOR_0", None)) is not None:
                accessor = self._header["accessors"][index]
                plain = accessor["componentType"] != _FLOAT
                colours = self._values({**accessor, "normalized": plain})[:, :3].astype("<f4")
            attributes[COLOURS] = len(self._header["accessors"])
            self._header["accessors"].append({"componentType": _FLOAT, "type": "VEC3", "count": count})
            self._store(attributes[COLOURS], np.clip(colours, 0.0, 1.0))
