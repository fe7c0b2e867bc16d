"""The surface model: equal to Mitsuba's ``principled``, reciprocal, conserving energy."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.render import brdf

_MITSUBA = """
import json, sys
import mitsuba as mi
mi.set_variant("scalar_rgb")
out = []
for roughness, metallic, wi, wo in json.load(sys.stdin):
    bsdf = mi.load_dict({"type": "principled", "base_color": {"type": "rgb", "value": [0.7, 0.4, 0.2]},
                         "roughness": roughness, "metallic": metallic, "eta": 1.5})
    si = mi.SurfaceInteraction3f()
    si.wi = mi.Vector3f(wi)
    si.sh_frame = mi.Frame3f(mi.Normal3f(0, 0, 1))
    si.n = mi.Normal3f(0, 0, 1)
    out.append([float(c) for c in bsdf.eval(mi.BSDFContext(), si, mi.Vector3f(wo))])
print(json.dumps(out))
"""


def cosines(to_light: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
    h = (to_light + v) / np.linalg.norm(to_light + v, axis=-1, keepdims=True)
    return to_light[..., 2], v[..., 2], h[..., 2], np.sum(h * to_light, axis=-1)


def direction(theta: float, phi: float) -> list[float]:
    return [float(np.sin(theta) * np.cos(phi)), float(np.sin(theta) * np.sin(phi)), float(np.cos(theta))]


def test_equals_mitsubas_principled() -> None:
    pytest.importorskip("mitsuba")
    grid = [
        (roughness, metallic, direction(a, 0.0), direction(b, phi))
        for roughness in (0.1, 0.3, 0.6, 1.0)
        for metallic in (0.0, 0.4, 1.0)
        for a in (0.1, 0.7, 1.3)
        for b in (0.2, 0.9, 1.4)
        for phi in (0.3, 1.6, 3.1)
    ]
    run = subprocess.run(
        [sys.executable, "-c", _MITSUBA], input=json.dumps(grid), capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        pytest.skip(f"no usable mitsuba variant: {run.stderr[-200:]}")
    expected = np.array(json.loads(run.stdout.splitlines()[-1]))
    roughness, metallic = np.array([g[0] for g in grid]), np.array([g[1] for g in grid])
    n_l, n_v, n_h, h_l = cosines(np.array([g[3] for g in grid]), np.array([g[2] for g in grid]))
    scale, offset = brdf.brdf_terms(roughness, metallic, n_l, n_v, n_h, h_l)
    base = np.array([0.7, 0.4, 0.2])
    ours = (base * scale[:, None] + offset[:, None]) * n_l[:, None]
    np.testing.assert_allclose(ours, expected, rtol=1e-3)


@settings(max_examples=60, deadline=None)
@given(
    roughness=st.floats(0.05, 1.0), metallic=st.floats(0.0, 1.0), a=st.floats(0.0, 1.5),
    b=st.floats(0.0, 1.5), phi=st.floats(0.0, 6.3),
)  # fmt: skip
def test_light_and_view_can_be_exchanged(
    roughness: float, metallic: float, a: float, b: float, phi: float
) -> None:
    light, v = np.array(direction(a, 0.0)), np.array(direction(b, phi))
    there = brdf.brdf_terms(roughness, metallic, *cosines(light, v))
    back = brdf.brdf_terms(roughness, metallic, *cosines(v, light))
    np.testing.assert_allclose(there, back, rtol=1e-9)


def test_kernels_compute_what_python_computes() -> None:
    from fourdcb.kernels.compiling import compiled_helper, numba
    from fourdcb.render._kernels import surface_model

    compiled = compiled_helper(surface_model.brdf_terms)

    @numba.njit
    def call(r: float, m: float, a: float, b: float, c: float, d: float, eta: float) -> tuple[float, float]:
        return compiled(r, m, a, b, c, d, eta)

    arguments = (0.35, 0.4, 0.8, 0.6, 0.9, 0.7, 1.33)
    np.testing.assert_allclose(call(*arguments), brdf.brdf_terms(*arguments), rtol=1e-12)


@pytest.mark.parametrize("roughness", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("n_v", [0.25, 0.6, 0.95])
def test_ambient_table_equals_brute_force_quadrature(roughness: float, n_v: float) -> None:
    from fourdcb.render._kernels.ambient import GRID, albedo_table

    r, c = round(roughness * (GRID - 1)), round(n_v * (GRID - 1))
    roughness, n_v = r / (GRID - 1), c / (GRID - 1)
    u, phi = np.meshgrid((np.arange(1500) + 0.5) / 1500, (np.arange(600) + 0.5) / 600 * 2 * np.pi)
    sine = np.sqrt(1.0 - u * u)
    light = np.stack([sine * np.cos(phi), sine * np.sin(phi), u], axis=-1)
    v = np.broadcast_to(np.array([np.sqrt(1.0 - n_v * n_v), 0.0, n_v]), light.shape)
    weight = u * 2.0 * np.pi
    row = albedo_table()[r, c]
    for metallic, scale, offset in ((0.0, row[0], row[1]), (1.0, row[2], row[3])):
        terms = brdf.brdf_terms(roughness, metallic, *cosines(light, v))
        assert np.mean(terms[0] * weight) == pytest.approx(float(scale), abs=0.006)
        assert np.mean(terms[1] * weight) == pytest.approx(float(offset), abs=0.006)


def test_no_surface_reflects_more_than_it_gets() -> None:
    from fourdcb.render._kernels.ambient import albedo_table

    table = albedo_table()
    assert (table >= 0.0).all()
    assert (table[..., 2] + table[..., 3] <= 1.01).all()


@pytest.mark.parametrize("specular", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("flatness", [0.0, 0.6, 1.0])
def test_specular_and_subsurface_are_principleds(specular: float, flatness: float) -> None:
    """Against Mitsuba's own evaluation, direction by direction."""
    mi = pytest.importorskip("mitsuba")
    mi.set_variant("scalar_rgb")
    rng = np.random.default_rng(7)
    eta = max(float(brdf.eta_from_specular(specular)), 1.0001)
    for _ in range(12):
        roughness, metallic = rng.uniform(0.15, 1.0), rng.uniform(0.0, 1.0)
        bsdf = mi.load_dict({
            "type": "principled", "base_color": {"type": "rgb", "value": [0.7, 0.4, 0.2]}, "eta": eta,
            "roughness": roughness, "metallic": metallic, "flatness": flatness,
        })  # fmt: skip
        v, light = (rng.normal(size=3) for _ in range(2))
        v, light = (np.abs(w) / np.linalg.norm(w) for w in (v, light))
        si = mi.SurfaceInteraction3f()
        si.wi = mi.Vector3f(*v)
        si.sh_frame = mi.Frame3f(mi.Vector3f(0, 0, 1))
        expected = np.array(bsdf.eval(mi.BSDFContext(), si, mi.Vector3f(*light)))
        h = (v + light) / np.linalg.norm(v + light)
        cosines = (float(light[2]), float(v[2]), float(h[2]), float(h @ light))
        scale, offset = brdf.brdf_terms(roughness, metallic, *cosines, eta)
        within = (1.0 - metallic) * flatness
        scale = scale - within * brdf.diffuse_lobe(roughness, cosines[0], cosines[1], cosines[3])
        scale += within * brdf.scatter_lobe(roughness, cosines[0], cosines[1], cosines[3])
        found = (np.array([0.7, 0.4, 0.2]) * scale + offset) * light[2]
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-5)
