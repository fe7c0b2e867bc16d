"""A CMOS sensor: photons to electrons to digital numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """Figures of a sensor at one gain; every channel of every pixel is a site of its own (no mosaic).

    Attributes:
        read_noise: standard deviation [electrons].
        full_well: most electrons that a site holds.
        bits: of the converter.
        gain: digital numbers per electron [DN/e⁻].
        black_level: digital number of no light [DN].
    """

    read_noise: float
    full_well: float
    bits: int
    gain: float
    black_level: float

    def exposed(self, light: NDArray[np.floating], *, white: float, random: np.random.Generator) -> F64:
        """Digital numbers of one exposure, whole, of the shape of ``light``.

        Args:
            light: linear irradiance, 1 is what the picture shows as white.
            white: electrons that white frees, at most the full well.
            random: source of the noise; shot noise is Poisson's.
        """
        mean = np.clip(np.asarray(light, dtype=np.float64), 0.0, None) * white
        electrons = random.poisson(mean) + random.normal(0.0, self.read_noise, mean.shape)
        numbers = np.rint(np.minimum(electrons, self.full_well) * self.gain + self.black_level)
        return np.clip(numbers, 0.0, 2.0**self.bits - 1.0)

    def developed(self, numbers: F64, *, white: float) -> F64:
        """Linear irradiance that digital numbers stand for."""
        return (numbers - self.black_level) / (self.gain * white)


# Sony IMX477 at gain 1, the figures that the dataset's design states for it.
IMX477 = Sensor(read_noise=3.0, full_well=8180.0, bits=12, gain=0.47, black_level=256.0)
