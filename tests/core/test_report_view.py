"""What the page says when there is much of one thing, little of another, or nothing."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest

from fourdcb.metrics import AxisResult, MetricValue, Report, load_criteria
from fourdcb.metrics.verdict import unjudged
from fourdcb.report import render_html
from fourdcb.report.view import _inputs, page_title, page_view
from fourdcb.report.wording import value_and_threshold

FRAMES = 10


def words_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.S)).split())


def report(**changed: Any) -> Report:
    empty = Report(
        verdict="INCONCLUSIVE", claim="diagnostic", reasons=(), axes={}, image={}, findings=(),
        horizon={}, series={}, inputs={}, environment={},
    )  # fmt: skip
    return replace(empty, **changed)


def entry(error: float) -> dict[str, Any]:
    still = [[0.0, 0.0, 1.0]] * FRAMES
    return {
        "position_error": [[error, 0.0, 0.0]] * FRAMES,
        "rotation_error_deg": [0.0] * FRAMES,
        "position": still,
        "reference_position": still,
    }


def test_of_many_objects_the_furthest_off_are_drawn_and_the_rest_counted() -> None:
    objects = {f"ball_{k:02d}": entry(0.001 * (k % 20)) for k in range(40)}
    series = {"times": [k / 30 for k in range(FRAMES)], "objects": objects}
    page = render_html(report(series=series))
    shown = re.findall(r"<figcaption>(ball_\d+)</figcaption>", page)
    assert shown == [f"ball_{k:02d}" for k in range(40) if k % 20 >= 14]
    assert "… and 28 objects that are no further off" in words_of(page)


def test_a_metric_names_its_worst_objects_and_only_if_they_differ() -> None:
    values = {f"ball_{k:02d}": 0.001 * k for k in range(40)}
    error = MetricValue(value=0.039, unit="m", threshold=0.02, passed=False, per_object=values)
    alike = MetricValue(
        value=0.0, unit="deg", threshold=3.0, passed=True, per_object=dict.fromkeys(values, 0.0)
    )
    axis = AxisResult(passed=False, metrics={"delta_pos": error, "delta_rot": alike})
    words = words_of(render_html(report(axes={"geometry": axis})))
    worst = "ball_39 39 mm, ball_38 38 mm, ball_37 37 mm, ball_36 36 mm"
    assert f"{worst}; the other 36 are no worse" in words
    assert words.count("ball_00") == 0


def test_a_reason_that_a_whole_axis_shares_is_said_once() -> None:
    unmeasured = MetricValue(status="not_measured", reason="no truth script")
    other = MetricValue(status="not_measured", reason="too dark")
    axis = AxisResult(passed=None, metrics={"a": unmeasured, "b": unmeasured, "c": other})
    words = words_of(render_html(report(axes={"geometry": axis})))
    assert words.count("no truth script") == 1
    assert words.count("too dark") == 1


def test_nothing_wrong_is_claimed_of_what_was_judged_only() -> None:
    assert "Nothing was found wrong in what could be judged." in words_of(render_html(report()))
    assert "Nothing was found wrong." in words_of(render_html(report(verdict="DEPLOYABLE")))


def test_without_a_script_to_compare_with_no_fault_is_ruled_out() -> None:
    axes = unjudged(load_criteria(), "no truth script")
    code = {"code": {"path": "pred.py"}}
    words = words_of(render_html(report(axes=axes, inputs=code)))
    assert "Without a truth script no fault can be located." in words
    videos = {"reference": {"path": "a.mp4"}, "candidate": {"path": "b.mp4"}}
    words = words_of(render_html(report(axes=axes, inputs=videos)))
    assert "Without a world script no fault can be located." in words
    words = words_of(render_html(report(axes=axes, inputs={**code, "reference": {"path": "world.py"}})))
    assert "Nothing was found wrong in what could be judged." in words


def test_a_long_unit_stands_beside_the_value_only() -> None:
    drift = MetricValue(value=0.269, threshold=0.05, unit="mm per 1/30 s", passed=False)
    assert value_and_threshold("drift_rate", drift) == ("0.269 mm per 1/30 s", "< 0.05")
    unmeasured = replace(drift, value=None, passed=None, status="not_measured", reason="short")
    assert value_and_threshold("drift_rate", unmeasured) == ("not measured", "< 0.05 mm per 1/30 s")
    short = MetricValue(value=0.01, threshold=0.02, unit="m", passed=True)
    assert value_and_threshold("delta_pos", short) == ("10 mm", "< 20 mm")


def test_packages_go_by_their_names() -> None:
    environment = {"cpus": 2, "packages": {"pybullet": "3.2.7"}, "criteria": {"id": "fourdcb-default"}}
    shown = page_view(report(environment=environment))["environment"]
    assert shown == [("cpus", "2"), ("pybullet", "3.2.7"), ("criteria id", "fourdcb-default")]


def test_pictures_that_were_not_compared_have_no_part() -> None:
    skipped = {"psnr": MetricValue(status="skipped", reason="judged fast")}
    assert "pictures illustrate" not in words_of(render_html(report(image=skipped)))


@pytest.mark.parametrize(
    ("inputs", "title"),
    [
        ({"code": {"path": "a/pred.py"}, "video": {"path": "/x/slide cup/video.mp4"}}, "slide cup · pred.py"),
        ({"reference": {"path": "/x/杯子.mp4"}, "candidate": {"path": "/x/b.mp4"}}, "杯子.mp4 · b.mp4"),
        ({"reference": {"path": "/x/a/v.mp4"}, "candidate": {"path": "/x/b/v.mp4"}}, "a/v.mp4 · b/v.mp4"),
        ({"reference": None, "edits": {"cup.mass": 1.0}}, "4DCodeBench report"),
    ],
)
def test_the_title_names_what_was_compared(inputs: dict[str, Any], title: str) -> None:
    assert page_title(report(inputs=inputs)) == title


def test_facts_of_a_stream_read_as_such() -> None:
    video = {
        "path": "v.mp4",
        "frames": 120,
        "fps": 29.97002997,
        "duration": 4.0,
        "codec": "h264",
        "truncated": False,
    }
    words = words_of(render_html(report(inputs={"candidate": video})))
    assert "(120 frames, 29.97 fps, duration 4 s, codec h264)" in words


def test_only_what_a_plain_file_has_not_is_told_of_a_video() -> None:
    plain = {
        "path": "v.mp4", "sha256": "0" * 64, "width": 256, "height": 256, "stored_width": 256,
        "stored_height": 256, "sizes": ((256, 256),), "fps": 30.0, "start_time": 0.0, "rotation": 0,
        "codec": "h264", "interlaced": False,
    }  # fmt: skip
    (row,) = _inputs({"video": plain})
    assert row["note"] == "width 256, height 256, 30 fps, codec h264"
    odd = {**plain, "stored_width": 192, "rotation": 90, "sizes": [[128, 96], [64, 48]]}
    (row,) = _inputs({"video": odd})
    assert "stored_width 192, sizes 128 × 96 and 64 × 48" in row["note"]
    assert "rotation 90" in row["note"]
