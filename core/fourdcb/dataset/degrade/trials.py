"""Degradations measured on pictures, each against what was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import linear_from_srgb
from fourdcb.dataset.degrade.apply import degraded
from fourdcb.dataset.degrade.occluder import sample_hand
from fourdcb.dataset.degrade.sensor import IMX477
from fourdcb.dataset.degrade.strength import B_FRAMES, CRF, Degradation, noise_gain
from fourdcb.physics import simulate
from fourdcb.randomness import generator
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.world import Camera, DirectionalLight, Material, Object, World
from fourdcb.world.camera import Coefficients

SHUTTER = 1.0 / 60.0  # [s]
_SIDE = 256
_PLACES = (
    (0.0, -1.75, 0.0),
    (0.6, -1.9, 0.3),
    (-0.7, -1.8, -0.4),
    (0.2, -1.8, 0.8),
    (-0.3, -1.8, 0.6),
)  # [m]


@dataclass(frozen=True, slots=True)
class Trial:
    """One figure.

    Attributes:
        fault: what is measured.
        asked, found: of one unit.
        within: largest difference that is right.
        unit: of all three.
    """

    fault: str
    asked: float
    found: float
    within: float
    unit: str = ""

    @property
    def is_good(self) -> bool:
        """Whether what was found is what was asked for."""
        return bool(abs(self.found - self.asked) <= self.within)


def trials() -> Iterator[Trial]:
    """Every fault of a camera, measured on pictures by means that did not make it."""
    for lens in ((-0.12, 0.02, 0.0015, -0.001, 0.0), (0.08, -0.03, -0.001, 0.002, 0.0)):
        yield from lens_trials(lens)
    for speed in (2.0, 6.0, 10.0):
        yield blur_trial(speed)
    yield from sensor_trials()
    for motion in (0.0, 5.0, 20.0):
        yield noise_trial(motion)
    for seed in (1, 2, 3):
        yield from hand_trials(seed)
    yield from codec_trials()


def lens_trials(lens: Coefficients) -> list[Trial]:
    """Coefficients that OpenCV's calibration finds in pictures of a chessboard, and how far they carry it.

    Zhang, A Flexible New Technique for Camera Calibration, TPAMI 2000; focal length and centre are known.
    """
    import cv2

    world = replace(_chessboard(), camera=Camera(width=640, height=640, fov_y_deg=60.0, distortion=lens))
    inner, square = 8, 0.2
    board = np.zeros((inner * inner, 3), np.float32)
    board[:, :2] = square * np.stack(np.meshgrid(*2 * [np.arange(inner)]), axis=-1).reshape(-1, 2)
    matrix = world.camera.intrinsics()
    seen = []
    for place in _PLACES:
        camera = replace(world.camera, pos=place, target=(0.0, 0.0, 0.0))
        picture = _picture(replace(world, camera=camera))
        grey = np.round(255.0 * np.clip(picture[..., 1], 0.0, 1.0)).astype(np.uint8)
        is_found, corners = cv2.findChessboardCornersSB(grey, (inner, inner), flags=cv2.CALIB_CB_ACCURACY)
        if is_found:
            seen.append(corners.astype(np.float32))
    flags = (
        cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_FOCAL_LENGTH | cv2.CALIB_FIX_PRINCIPAL_POINT
        | cv2.CALIB_FIX_K3
    )  # fmt: skip
    size = (world.camera.width, world.camera.height)
    guess = (matrix - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]], np.zeros(5))  # OpenCV's pixels begin at −½
    error, _, found, _, _ = cv2.calibrateCamera([board] * len(seen), seen, size, *guess, flags=flags)
    rows = [
        Trial("lens: pictures in which the board is found", len(_PLACES), len(seen), 0),
        Trial("lens: error of OpenCV's calibration", 0.0, error, 0.1, "px"),
    ]
    still = np.zeros(3)
    for share in (0.5, 0.75, 1.0):  # of the way to a corner
        ray = np.array([[share * 0.5, share * 0.5, 1.0]])
        at = [
            cv2.projectPoints(ray, still, still, matrix, np.asarray(c))[0].ravel()
            for c in (np.zeros(5), lens, found.ravel())
        ]
        asked = float(np.linalg.norm(at[1] - at[0]))
        rows += [
            Trial(
                f"lens: moves a point at {share:.0%}", asked, float(np.linalg.norm(at[2] - at[0])), 0.3, "px"
            ),
            Trial(f"lens: off at {share:.0%}", 0.0, float(np.linalg.norm(at[2] - at[1])), 0.3, "px"),
        ]
    return rows


def blur_trial(speed: float) -> Trial:
    """Length of the smear of a white box that passes at a speed [m/s], against speed times shutter.

    A rectangle that is blurred over b has two sides that rise evenly over b, so Σ level (1 − level) = b / 3.
    """
    side, away = 0.3, 3.0
    box = _box("box", (side, side, side), (-speed / 12.0, 0.0, 0.0), 1.0, fixed=False)
    world = World(
        duration=0.5, objects=(replace(box, vel=(speed, 0.0, 0.0)),), ambient=0.0, background=(0.0, 0.0, 0.0),
        lights=(DirectionalLight(direction=(0.0, 1.0, 0.0), intensity=1.0),),
        camera=Camera(pos=(0.0, -away, 0.0), target=(0.0, 0.0, 0.0), fov_y_deg=40.0),
    )  # fmt: skip
    trajectory, t = simulate(world), 1.0 / 12.0
    rows = []
    for samples in ("auto", 1):
        settings = RenderSettings(samples=samples, shutter=SHUTTER, shadows=False)
        rows.append(RasterRenderer(world, settings).render(trajectory, t).linear[_SIDE // 2, :, 0])
    level = rows[0].astype(np.float64) / float(rows[1].max())
    asked = speed * SHUTTER * float(world.camera.intrinsics()[0, 0]) / (away - side / 2.0)
    return Trial(
        f"motion blur at {speed:g} m/s", asked, 3.0 * float((level * (1.0 - level)).sum()), 0.05 * asked, "px"
    )


def sensor_trials() -> list[Trial]:
    """Gain by photon transfer (variance over mean of flat pictures, Janesick); noise of a dark one."""
    means, variances = [], []
    for k, level in enumerate(np.linspace(0.05, 0.7, 14)):
        light = np.full((400, 400), level)
        a, b = (
            IMX477.exposed(light, white=IMX477.full_well, random=generator(0, f"transfer/{k}/{i}"))
            for i in (0, 1)
        )
        means.append(a.mean() - IMX477.black_level)
        variances.append(0.5 * np.var(a - b))
    slope = float(np.polyfit(means, variances, 1)[0])
    dark = IMX477.exposed(np.zeros((1000, 1000)), white=IMX477.full_well, random=generator(0, "dark"))
    read = float(np.sqrt(dark.var() - 1.0 / 12.0)) / IMX477.gain  # rounding adds 1/12 DN² (Sheppard)
    return [
        Trial("sensor: gain by photon transfer", IMX477.gain, slope, 0.02 * IMX477.gain, "DN/e⁻"),
        Trial("sensor: read noise", IMX477.read_noise, read, 0.02 * IMX477.read_noise, "e⁻"),
        Trial("sensor: black level", IMX477.black_level, float(dark.mean()), 0.02, "DN"),
    ]


def noise_trial(speed: float) -> Trial:
    """Noise of a flat picture of a clip of this speed [px a frame], against Poisson's and the sensor's."""
    light, white = 0.3, IMX477.full_well / noise_gain("full", speed)
    how = Degradation(level="full", speed=speed, white_electrons=white, hand=None)
    (picture,) = degraded([np.full((400, 400, 3), light)], how, count=1, seed=0, path="noise")
    slope = (float(_encoded(light + 1e-4)) - float(_encoded(light - 1e-4))) / 2e-4
    electrons = light * white + IMX477.read_noise**2 + 1.0 / (12.0 * IMX477.gain**2)
    asked = float(np.hypot(slope * np.sqrt(electrons) / white, np.sqrt(1.0 / 12.0)))
    found = float(np.sqrt(picture.reshape(-1, 3).var(axis=0).mean()))
    return Trial(f"noise at {speed:g} px a frame", asked, found, 0.02 * asked, "of 255")


def hand_trials(seed: int) -> list[Trial]:
    """How much of a picture a hand with stretched fingers covers, and how much it hides there."""
    drawn = sample_hand(generator(seed, "hand"), opacity=0.35 + 0.1 * seed)
    hand = replace(drawn, path=((0.0, 0.0),) * 3, angle=0.0, curl_phase=0.0)
    how = Degradation(level="full", speed=0.0, white_electrons=None, hand=hand)
    behind = 0.9
    (picture,) = degraded([np.full((_SIDE, _SIDE, 3), behind)], how, count=1, seed=0, path="hand")
    seen = linear_from_srgb(picture / 255.0)[..., 2]
    alpha = (behind - seen) / (behind - hand.color[2])
    covered = float((alpha > 0.5 * hand.opacity).mean())
    return [
        Trial(f"hand {seed}: picture under it", hand.coverage, covered, 0.1 * hand.coverage),
        Trial(f"hand {seed}: opacity", hand.opacity, float(np.percentile(alpha[alpha > 0.1], 80)), 0.02),
    ]


def codec_trials() -> list[Trial]:
    """What FFmpeg reads in a clip: its rate factor, its pictures' kinds, its chroma and its clock."""
    import av

    from fourdcb.video import write_video

    random = generator(0, "codec")
    ground = np.kron(random.uniform(60.0, 200.0, (32, 32, 3)), np.ones((8, 8, 1)))
    frames = [np.round(np.roll(ground, 3 * k, axis=1)).astype(np.uint8) for k in range(48)]
    with TemporaryDirectory() as place:
        path = Path(place) / "clip.mp4"
        write_video(path, frames, fps=30.0, crf=CRF, b_frames=B_FRAMES, threads=1)
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            read = list(container.decode(stream))
            chroma, rate = stream.codec_context.pix_fmt, float(stream.average_rate or 0.0)
        told = path.read_bytes().decode("latin-1")
    kinds = "".join("?IPB"[min(int(frame.pict_type), 3)] for frame in read)
    runs = max(len(run) for run in kinds.replace("I", "P").split("P"))
    crf = float(told.split("crf=")[1].split(" ")[0]) if "crf=" in told else float("nan")
    return [
        Trial("codec: rate factor that the encoder wrote down", CRF, crf, 0.0),
        Trial("codec: longest row of B pictures", B_FRAMES, runs, 0.0),
        Trial("codec: frames a second", 30.0, rate, 1e-6),
        Trial("codec: chroma halved both ways", 1, float(chroma == "yuv420p"), 0),
    ]


def trial_lines(found: Sequence[Trial]) -> list[str]:
    """A table."""
    lines = [f"{'':50} {'asked':>9} {'found':>9} {'within':>8}"]
    for one in found:
        mark = "" if one.is_good else "   OFF"
        lines.append(
            f"{one.fault:50} {one.asked:9.4g} {one.found:9.4g} {one.within:8.2g} {one.unit}{mark}".rstrip()
        )
    return lines


def _encoded(linear: float) -> F64:
    from fourdcb.conventions import srgb_from_linear

    return 255.0 * srgb_from_linear(np.asarray(linear))


def _chessboard() -> World:
    """Nine by nine squares in the plane y = 0, under light from the front."""
    squares = [
        _box(f"s{i}_{j}", (0.2, 0.02, 0.2), (0.2 * (i - 4), 0.0, 0.2 * (j - 4)), 0.02 if (i + j) % 2 else 0.9)
        for i in range(9)
        for j in range(9)
    ]
    return World(
        duration=0.1, objects=tuple(squares), ambient=0.0, background=(0.9, 0.9, 0.9),
        lights=(DirectionalLight(direction=(0.0, 1.0, 0.0), intensity=3.0),),
    )  # fmt: skip


def _box(
    name: str, size: tuple[float, float, float], pos: tuple[float, float, float], grey: float, *,
    fixed: bool = True,
) -> Object:  # fmt: skip
    return Object(
        name=name, geometry="box", size=size, mass=1.0, pos=pos, vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0),
        fixed=fixed, material=Material(base_color=(grey, grey, grey), roughness=1.0),
    )  # fmt: skip


def _picture(world: World) -> F64:
    settings = RenderSettings(shadows=False, supersample=4)
    frame = RasterRenderer(world, settings).render(simulate(world), 0.0)
    return np.asarray(frame.rgb, dtype=np.float64) / 255.0
