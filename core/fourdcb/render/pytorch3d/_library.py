"""The optional libraries of this backend."""

from __future__ import annotations

from importlib import import_module

from fourdcb.errors import UserError


def require_library() -> None:
    """Load torch and PyTorch3D. Raises UserError with the line that installs them when they do not load."""
    for name in ("torch", "pytorch3d.renderer.mesh.rasterize_meshes"):
        try:
            import_module(name)
        except (ImportError, OSError) as error:  # a wheel for another torch fails in the system's loader
            raise UserError(
                "the pytorch3d backend needs torch and PyTorch3D",
                got=str(error),
                hint="pip install 'fourdcb[learn]'",
            ) from error
