"""The functions of ``brdf`` compiled for kernels: same code objects, with their mutual calls compiled too."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from fourdcb.kernels.jit import inline
from fourdcb.render import brdf

_namespace: dict[str, Any] = dict(vars(brdf))
for _name, _value in list(_namespace.items()):
    if isinstance(_value, FunctionType):
        _namespace[_name] = inline(FunctionType(_value.__code__, _namespace, _name))

ETA = brdf.ETA
alpha_from_roughness = _namespace["alpha_from_roughness"]
schlick_weight = _namespace["schlick_weight"]
fresnel_dielectric = _namespace["fresnel_dielectric"]
smith_g1 = _namespace["smith_g1"]
diffuse_lobe = _namespace["diffuse_lobe"]
scatter_lobe = _namespace["scatter_lobe"]
brdf_terms = _namespace["brdf_terms"]
