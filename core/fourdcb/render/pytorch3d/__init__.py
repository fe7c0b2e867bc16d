"""The differentiable renderer: PyTorch3D finds the faces, torch shades them, on the CPU or a CUDA device.

It has the raster backend's surface model, lights, shadow maps and lens, so that the two agree; gradients flow
from pixels to materials, lights and poses. Importing this package needs the extra ``learn`` and raises
UserError without it; nothing else in the library imports it before it is asked for.
"""

from fourdcb.render.pytorch3d._library import require_library

require_library()

from fourdcb.render.pytorch3d.benchmark import pytorch3d_fps as pytorch3d_fps  # noqa: E402
from fourdcb.render.pytorch3d.parameters import TorchParameters as TorchParameters  # noqa: E402
from fourdcb.render.pytorch3d.rasterise import TorchFragments as TorchFragments  # noqa: E402
from fourdcb.render.pytorch3d.renderer import TorchRenderer as TorchRenderer  # noqa: E402
from fourdcb.render.pytorch3d.scene import TorchScene as TorchScene  # noqa: E402
