"""Picture measures must not reward nothing happening: rests, blank answers, equal frames, the wrong place."""

from __future__ import annotations

import re

import av
import av.logging
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from fourdcb.metrics.pictures.clip import clip_findings, clip_quality
from fourdcb.metrics.pictures.clip_comparison import ClipComparison, compare_clips
from fourdcb.metrics.pictures.motion import Backgrounds, background_of

Clip = NDArray[np.uint8]
SIZE = 128


def disc(centre: tuple[float, float] | None, *, ground: int = 200) -> NDArray[np.uint8]:
    picture = np.full((SIZE, SIZE, 3), ground, np.uint8)
    picture[100:, :] = ground - 60
    if centre is not None:
        cv2.circle(picture, (round(centre[0]), round(centre[1])), 10, (200, 30, 30), -1, cv2.LINE_AA)
    return picture


def rolling(end: tuple[float, float], *, frames: int = 30, roll: int = 10, start: int = 10) -> Clip:
    """Stands, jumps towards ``end`` after ``start`` frames and rests there for the other half of the clip."""
    clip = []
    for k in range(frames):
        share = min(max((k - start) / roll, 0.0), 1.0)
        clip.append(disc((20 + share * (end[0] - 20), 20 + share * (end[1] - 20))))
    return np.stack(clip)


A, B = rolling((70, 90)), rolling((110, 40))
BLANK = np.stack([disc(None)] * 30)


def compared(a: Clip, b: Clip) -> ClipComparison:
    pairs = list(zip(a, b, strict=True))
    return compare_clips(pairs, backgrounds=Backgrounds.of(pairs))


def test_what_rests_is_no_background() -> None:
    assert np.array_equal(background_of(list(A)), disc(None))
    late = rolling((70, 90), start=2)  # rests for 18 of 30 frames, so that the median shows it there
    assert not np.array_equal(np.median(late, axis=0), disc(None))
    assert np.array_equal(background_of(list(late)), disc(None))


def test_rests_apart_do_not_overlap_and_equal_frames_do() -> None:
    result = compared(rolling((70, 90), start=2), rolling((110, 40), start=2))
    assert result.silhouette_iou[:3] == pytest.approx(np.ones(3))
    assert result.silhouette_iou[12:] == pytest.approx(np.zeros(18))
    figure = result.metrics()["silhouette_iou"].value
    assert figure is not None
    assert 0.05 < figure < 0.25  # pooled: three equal frames of thirty, and part of the roll


def test_half_a_clip_overlaps_with_the_whole() -> None:
    whole = rolling((70, 90), start=2)
    pairs = list(zip(whole[:15], whole[:15], strict=True))
    backgrounds = Backgrounds(background_of(list(whole)), background_of(list(whole[:15])))
    assert compare_clips(pairs, backgrounds=backgrounds).silhouette_iou == pytest.approx(np.ones(15))


def test_a_blank_answer_overlaps_with_nothing_and_is_told() -> None:
    result = compared(A, BLANK)
    image = result.metrics()
    assert image["silhouette_iou"].value == 0.0
    assert image["psnr"].value == pytest.approx(image["psnr"].detail["empty"])
    assert image["flow_error"].value == pytest.approx(image["flow_error"].detail["empty"])
    assert result.beside is not None
    found = result.beside.finding()
    assert found is not None
    assert "the motion is not shown: 0% of the area" in found.message


def test_a_right_answer_beats_a_still_and_an_empty_scene() -> None:
    result = compared(A, np.stack([cv2.GaussianBlur(picture, (0, 0), 0.7) for picture in A]))
    assert result.beside is not None
    assert result.beside.finding() is None
    for name, figure in result.beside.figures.items():
        better = figure.candidate - max(figure.still, figure.empty)
        if name == "flow_error":
            better = min(figure.still, figure.empty) - figure.candidate
        assert better > 0, name


def test_motion_elsewhere_is_told_apart_from_none() -> None:
    lower = np.stack([np.roll(picture, 30, axis=0) for picture in A])
    lower[:, :30] = 200
    result = compared(A, lower)
    assert result.beside is not None
    found = result.beside.finding()
    assert found is not None
    assert found.arguments["form"] == "elsewhere"
    assert found.arguments["share"] == pytest.approx(1.0, abs=0.3)


def test_clips_in_which_nothing_moves_miss_no_motion() -> None:
    result = compared(BLANK, BLANK)
    assert result.beside is not None
    assert result.beside.finding() is None
    assert result.metrics()["silhouette_iou"].status == "not_measured"
    assert result.metrics()["flow_error"].status == "not_measured"


def test_a_replay_is_told_the_same() -> None:
    times = np.arange(30) / 30
    (found,) = clip_findings(clip_quality(BLANK, times, A, times))
    assert (found.kind, found.severity) == ("no_motion", "warning")
    assert clip_findings(clip_quality(A, times, A, times)) == ()
    figures = clip_quality(B, times, A, times).metrics()
    assert {"still", "empty", "sampled"} <= set(figures["psnr"].detail)
    assert figures["psnr"].value == pytest.approx(compared(A, B).metrics()["psnr"].value)


def test_motion_error_counts_what_moves_only() -> None:
    small, large = compared(A, BLANK).flow_error, []
    for clip in (A, BLANK):
        framed = np.full((30, 2 * SIZE, 2 * SIZE, 3), 200, np.uint8)
        framed[:, :SIZE, :SIZE] = clip
        large.append(framed)
    # Four times as much that stands still around it changes nothing.
    assert np.nanmean(compared(*large).flow_error) == pytest.approx(np.nanmean(small), rel=0.25)


def test_psnr_of_a_clip_is_what_ffmpeg_calls_average() -> None:
    figure = compared(A, B).metrics()["psnr"]
    assert figure.value == pytest.approx(ffmpeg_average(A, B), abs=0.01)
    assert figure.detail["mean"] > 40  # the mean of decibels, in which ten equal frames count 120 each


def ffmpeg_average(a: Clip, b: Clip) -> float:
    """The average that FFmpeg's psnr filter logs for two clips in RGB."""
    graph = av.filter.Graph()
    sources = [graph.add_buffer(width=SIZE, height=SIZE, format="gbrp", time_base="1/30") for _ in range(2)]
    psnr, sink = graph.add("psnr"), graph.add("buffersink")
    for i, source in enumerate(sources):
        source.link_to(psnr, 0, i)
    psnr.link_to(sink)
    graph.configure()
    before = av.logging.get_level()
    av.logging.set_level(av.logging.INFO)
    try:
        with av.logging.Capture(True) as logs:
            for k, pair in enumerate(zip(a, b, strict=True)):
                for source, picture in zip(sources, pair, strict=True):
                    frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="gbrp")
                    frame.pts = k
                    source.push(frame)
            for source in sources:
                source.push(None)
            while True:
                try:
                    sink.pull()
                except (av.error.BlockingIOError, av.error.EOFError):
                    break
            del graph, sources, psnr, sink, source
    finally:
        av.logging.set_level(before)
    text = " ".join(message for _, _, message in logs)
    found = re.search(r"average:([\d.]+)", text)
    assert found is not None, text
    return float(found[1])
