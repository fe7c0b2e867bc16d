"""Pictures of a world: RGB and geometry buffers at any time of a trajectory."""

from fourdcb.render._threads import on_all_threads as on_all_threads
from fourdcb.render._threads import on_one_thread as on_one_thread
from fourdcb.render.backends import BACKENDS as BACKENDS
from fourdcb.render.backends import Backend as Backend
from fourdcb.render.backends import backend as backend
from fourdcb.render.flow import optical_flow as optical_flow
from fourdcb.render.motion import adaptive_samples as adaptive_samples
from fourdcb.render.raster import RasterRenderer as RasterRenderer
from fourdcb.render.raster import render_clip as render_clip
from fourdcb.render.raster import render_frame as render_frame
from fourdcb.render.settings import Fragments as Fragments
from fourdcb.render.settings import Frame as Frame
from fourdcb.render.settings import RenderSettings as RenderSettings
from fourdcb.render.warm_up import compile_kernels as compile_kernels
