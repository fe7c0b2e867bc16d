"""The report as plain values: every probe with intervals, optimism, controls, claims and failures."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import UserError
from fourdcb.identity import jsonable
from fourdcb.probes.claims import CONTROL_CONFIDENCE, claims_of, controls_of
from fourdcb.probes.heads.table import is_closed, reads_tokens, schedule_of, settings_of
from fourdcb.probes.inputs import METADATA
from fourdcb.probes.intervals import METHOD, balanced_estimate, pooled
from fourdcb.probes.samples import SampleTable
from fourdcb.probes.scores import accuracy, balanced_accuracy, confusion_matrix, macro_f1
from fourdcb.probes.sealed import Openings, openings_of, trained_hashes
from fourdcb.probes.store import FeatureStore
from fourdcb.probes.task import Task
from fourdcb.probes.testing import Answers, Opened, Retrieved
from fourdcb.randomness import generator

BASELINES = ("random", "colour_motion", METADATA)
_FAILURES = 6
_FORMAT, _VERSION = "fourdcb.probe-report", 1
NOT_COMPARABLE = (
    "These figures come from these clips, this split and these probes. They are not comparable with a "
    "paper's (69.5, 55.0 …) unless protocol and data are the same."
)


def report_values(table: SampleTable, opened: Opened, work: Path) -> dict[str, Any]:
    """The report, JSON-safe.

    Args:
        table: samples.
        opened: what the one look at the test parts gave.
        work: folder with the record of openings.
    """
    by_probe: dict[tuple[str, str, str], list[Answers]] = defaultdict(list)
    for one in opened.answers:
        by_probe[one.name.target, one.name.encoder, one.name.head].append(one)
    openings = openings_of(work)
    encoders = sorted({encoder for _, encoder, _ in by_probe} - {METADATA})
    stores = {name: FeatureStore.load(work, name, table.settings) for name in encoders}
    targets = []
    for name, tasks in opened.tasks.items():
        own = {
            (encoder, head): found for (target, encoder, head), found in by_probe.items() if target == name
        }
        retrieved = [one for one in opened.retrieved if one.target == name]
        probes = [
            _probe(table, tasks, encoder, head, own, openings[name, encoder, head], stores)
            for encoder, head in sorted(own, key=lambda key: (key[0] in BASELINES, key))
        ]
        targets.append(_target(tasks) | {"probes": probes, "retrieval": _retrieval(retrieved)})
    return {
        "format": _FORMAT, "version": _VERSION,
        "clips": len({sample.clip for sample in table.samples}), "samples": len(table.samples),
        "groups": len(set(table.joined)), "near_duplicates_joined": table.tied,
        "windows": {
            **jsonable(table.settings), "seconds": round(table.settings.span, 4), "crop": "middle square",
        },
        "encoders": {
            name: {**jsonable(store.spec), "token_grid": store.token_grid} for name, store in stores.items()
        },
        "tested": sorted(trained_hashes(work, list(opened.tasks))),
        "interval": METHOD, "control_confidence": CONTROL_CONFIDENCE, "note": NOT_COMPARABLE,
        "targets": targets,
    }  # fmt: skip


def earlier_report(path: Path, work: Path, targets: Sequence[str] | None) -> dict[str, Any] | None:
    """The report that was written, or None where it lacks a probe as it is trained now.

    Raises:
        UserError: the file is no report.
    """
    if not path.is_file():
        return None
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = values["format"] == _FORMAT and values["version"] == _VERSION
        tested = frozenset(values["tested"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            "the report cannot be read", where=str(path), got=f"{type(error).__name__}: {error}"[:200],
            hint="remove it; fourdcb probe report opens the test part again, and that is recorded",
        ) from error  # fmt: skip
    wanted = trained_hashes(work, targets)
    return values if known and wanted <= tested and (targets is not None or wanted == tested) else None


def _target(tasks: Sequence[Task]) -> dict[str, Any]:
    first = tasks[0]
    counts = np.bincount(first.sealed_labels, minlength=len(first.classes))
    groups = np.asarray(first.groups)
    return {
        "name": first.target.name, "meaning": first.target.meaning, "physical": first.target.physical,
        "moment": first.target.moment, "seeds": [task.seed for task in tasks],
        "classes": [
            {"name": name, "samples": int(counts[i]), "groups": len(set(groups[first.sealed_labels == i]))}
            for i, name in enumerate(first.classes)
        ],
        "groups": len(set(first.groups)), "chance": 1.0 / len(first.classes),
        "splits": [
            {
                "seed": task.seed,
                **{
                    part: {"samples": len(rows), "groups": len({task.groups[i] for i in rows})}
                    for part, rows in (
                        ("train", task.split.train), ("validation", task.split.validation),
                        ("test", task.split.test),
                    )
                },
            }
            for task in tasks
        ],
    }  # fmt: skip


def _probe(
    table: SampleTable,
    tasks: Sequence[Task],
    encoder: str,
    head: str,
    own: Mapping[tuple[str, str], Sequence[Answers]],
    openings: Openings,
    stores: Mapping[str, FeatureStore],
) -> dict[str, Any]:
    answers, classes = own[encoder, head], len(tasks[0].classes)
    target, chance = tasks[0].target, 1.0 / classes
    rng = generator(0, f"report/{target.name}/{encoder}/{head}")
    tables = [confusion_matrix(one.tested.truth, one.tested.predicted, n_classes=classes) for one in answers]
    balanced = np.array([balanced_accuracy(one) for one in tables])
    estimate = balanced_estimate(pooled([one.tested for one in answers]), rng=rng)
    controls = controls_of(
        answers, _others(own, encoder, head), chance=chance, physical=target.physical
    ) if encoder != METADATA else ()  # fmt: skip
    leaks = [leak for one in answers for leak in one.leaks]
    claims = claims_of(
        estimate, controls, chance=chance, seeds=len(answers), leaks=len(leaks),
        trainings=openings.trainings, trained=encoder in stores and stores[encoder].spec.trained,
        baseline=encoder in BASELINES or encoder.startswith("random:"),
    ) if encoder != METADATA else ()  # fmt: skip
    return {
        "encoder": encoder, "head": head,
        "reads": "metadata" if encoder == METADATA else "tokens" if reads_tokens(head)
        else "tokens of one frame" if target.moment else "[CLS]",
        "balanced_accuracy": jsonable(estimate), "balanced_by_seed": balanced.tolist(),
        "mean": float(balanced.mean()), "std": float(balanced.std(ddof=1)) if len(balanced) > 1 else None,
        "accuracy": float(np.mean([accuracy(one) for one in tables])),
        "macro_f1": float(np.mean([macro_f1(one) for one in tables])),
        "majority": float(np.mean([one.sum(axis=1).max() / one.sum() for one in tables])),
        "validation": float(np.mean([one.validation for one in answers])),
        "optimism": float(np.mean([one.optimism for one in answers])),
        "optimism_by_seed": [one.optimism for one in answers],
        "heads": len(answers[0].all_scores), "chosen": [one.chosen for one in answers],
        "settings": [jsonable(settings_of(head)[one.chosen]) for one in answers],
        "training": None if is_closed(head) else jsonable(schedule_of(head)),
        "confusion": np.sum(tables, axis=0).tolist(),
        "controls": jsonable(controls), "claims": jsonable(claims), "leaks": jsonable(leaks),
        "openings": jsonable(openings), "failures": _failures(table, tasks, answers),
    }  # fmt: skip


def _others(
    own: Mapping[tuple[str, str], Sequence[Answers]], encoder: str, head: str
) -> dict[str, Sequence[Answers]]:
    """What a probe is compared with: never with itself."""
    found: dict[str, Sequence[Answers]] = {}
    untrained = next(
        (name for name in (f"random:{encoder}", _random_of(encoder)) if (name, head) in own), None
    )
    for role, name in (("random", untrained), ("colour_motion", "colour_motion")):
        if name is not None and name != encoder and (name, head) in own:
            found[role] = own[name, head]
    metadata = [answers for (name, _), answers in own.items() if name == METADATA]
    if metadata:  # the better one on validation: the control is as strong as it can be made
        found[METADATA] = max(
            metadata, key=lambda answers: float(np.mean([one.validation for one in answers]))
        )
    return found


def _random_of(encoder: str) -> str:
    """The untrained encoder of the same architecture and layer."""
    base, at, layer = encoder.partition("@")
    return f"random{at}{layer}" if base == "efficientnet_lite0" else f"random:{base}{at}{layer}"


def _failures(table: SampleTable, tasks: Sequence[Task], answers: Sequence[Answers]) -> list[dict[str, Any]]:
    """Wrong answers that were given with most confidence, each clip once."""
    names, classes = {sample.id: sample for sample in table.samples}, tasks[0].classes
    wrong = [
        (float(one.confidence[i]), one.samples[i], int(one.tested.truth[i]), int(one.tested.predicted[i]))
        for one in answers
        for i in np.flatnonzero(one.tested.truth != one.tested.predicted)
    ]
    found: dict[str, dict[str, Any]] = {}
    for confidence, sample, truth, predicted in sorted(wrong, key=lambda row: (-row[0], row[1])):
        found.setdefault(
            names[sample].clip,
            {
                "sample": sample, "truth": classes[truth], "predicted": classes[predicted],
                "confidence": round(confidence, 3), "video": names[sample].video.name,
            },
        )  # fmt: skip
    return list(found.values())[:_FAILURES]


def _retrieval(found: Sequence[Retrieved]) -> list[dict[str, Any]]:
    rows = []
    for encoder in sorted({one.encoder for one in found}):
        own = [one for one in found if one.encoder == encoder]
        rows.append(
            {
                "encoder": encoder, "queries": own[0].queries, "gallery": own[0].gallery,
                "chance": float(np.mean([one.chance for one in own])),
                **{key: _spread([one.scores[key] for one in own]) for key in own[0].scores},
            }
        )  # fmt: skip
    return rows


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    """Mean and standard deviation over seeds."""
    return {"mean": float(np.mean(values)), "std": float(np.std(values, ddof=1)) if len(values) > 1 else None}
