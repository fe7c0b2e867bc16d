"""What is wrong with sources before anything is trained or scored, each with its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import Diagnostic, MissingDependencyError, UserError
from fourdcb.x4val.config import X4ValConfig
from fourdcb.x4val.consistency import advised_k
from fourdcb.x4val.encoders import encoder_of
from fourdcb.x4val.pictures import Frames, read_frames, resized
from fourdcb.x4val.sources import Source, load_source

_LOOKED_AT = 64  # samples of a source whose pixels are looked at
_COLOUR_BINS = 6
_SWAP_GAIN = 0.15  # gain in overlap of colours by which a swap of red and blue is suspected
_DARKEST = 12.0  # brightness [0, 255] of the brightest percentile below which a source is not normalised


def check_sources(config: X4ValConfig) -> tuple[tuple[Source, ...], tuple[Diagnostic, ...]]:
    """Read all sources, and tell whatever is wrong or doubtful.

    Returns:
        The sources that could be read, and errors and warnings in the order of the sources.
    """
    sources: list[Source] = []
    found: list[Diagnostic] = []
    for entry in config.sources:
        try:
            source = load_source(config, entry)
        except UserError as error:
            found.append(_error("source", f"{entry.name}: {error.what}", config, entry.line, error))
            continue
        sources.append(source)
        found += _label_doubts(config, source)
    found += _picture_doubts(config, sources)
    total = sum(len(source.samples) for source in sources)
    advice = advised_k(total)
    if config.evaluation.control_variate_k >= 10 and total < 500_000:
        found.append(
            _warning(
                "neighbours",
                f"control_variate_k is {config.evaluation.control_variate_k} for {total} samples: farther "
                "neighbours are other things.", config, 0,
                f"5 suits most sets; 5 log10 N would be {advice}, 10 and more only above 500,000 samples.",
            )
        )  # fmt: skip
    try:
        encoder_of(config.surrogate)
    except UserError as error:
        found.append(_error("backbone", error.what, config, 0, error))
    return tuple(sources), tuple(found)


def _label_doubts(config: X4ValConfig, source: Source) -> Iterator[Diagnostic]:
    entry, classes = source.config, source.classes()
    if entry.label_type == "none":
        return
    if not classes:
        yield _error_text(
            "labels", f"{source.name}: no sample has a label", config, entry.line,
            "labels are matched by path below the source's folder, with or without suffix.",
        )  # fmt: skip
    elif len(classes) == 1:
        yield _error_text(
            "one-class", f"{source.name}: all {sum(classes.values())} labels are {next(iter(classes))!r}",
            config, entry.line,
            "agreement of neighbours says nothing with one class: add samples of others, or leave it out.",
        )  # fmt: skip
    if source.unlabelled:
        yield _warning(
            "unlabelled",
            f"{source.name}: {source.unlabelled} of {len(source.samples)} samples have no label.",
            config, entry.line, "they are embedded, and never scored.",
        )  # fmt: skip
    if source.orphans:
        yield _warning(
            "orphan-labels", f"{source.name}: {len(source.orphans)} labels name no sample.",
            config, entry.line, f"the first is {source.orphans[0]!r}.",
        )  # fmt: skip


def _picture_doubts(config: X4ValConfig, sources: Sequence[Source]) -> Iterator[Diagnostic]:
    seen: dict[str, F64] = {}
    for source in sources:
        step = max(1, len(source.samples) // _LOOKED_AT)
        frames = []
        for sample in source.samples[::step][:_LOOKED_AT]:
            try:
                frames.append(resized(read_frames(sample.path, count=1), 32))
            except (UserError, MissingDependencyError) as error:
                yield _error("unreadable", f"{source.name}: {error}", config, source.config.line, error)
        if not frames:
            continue
        pixels = np.concatenate(frames)
        bright = float(np.percentile(pixels, 99))
        if bright < _DARKEST:
            yield _warning(
                "dark", f"{source.name}: nearly black (99 % of values below {bright:.0f} of 255).", config,
                source.config.line,
                "all sources pass one normalisation (mean 0.485, 0.456, 0.406; deviation 0.229, 0.224, "
                "0.225): scale the files to the full range first.",
            )  # fmt: skip
        seen[source.name] = colour_histogram(pixels)
    for source in sources:
        others = [histogram for name, histogram in seen.items() if name != source.name]
        if source.name not in seen or not others:
            continue
        gain = swap_gain(seen[source.name], np.mean(others, axis=0))
        if gain > _SWAP_GAIN:
            yield _warning(
                "swapped-channels",
                f"{source.name}: looks as if its red and blue, or the others', were swapped (with them "
                f"swapped back, colours "
                f"overlap the other sources' by {gain:.0%} more).", config, source.config.line,
                "OpenCV reads BGR: convert with cv2.cvtColor(image, cv2.COLOR_BGR2RGB) before saving.",
            )  # fmt: skip


def colour_histogram(pixels: Frames) -> F64:
    """Share of pixels in each of 6 × 6 × 6 cells of RGB, shape (6, 6, 6), from (N, H, W, 3)."""
    cells = pixels.reshape(-1, 3).astype(np.int64) * _COLOUR_BINS // 256
    flat = (cells[:, 0] * _COLOUR_BINS + cells[:, 1]) * _COLOUR_BINS + cells[:, 2]
    counts = np.bincount(flat, minlength=_COLOUR_BINS**3).reshape((_COLOUR_BINS,) * 3)
    return counts / max(len(flat), 1)


def swap_gain(histogram: F64, others: F64) -> float:
    """How much more two colour histograms overlap (Swain and Ballard 1991) with red and blue exchanged."""
    as_is = float(np.minimum(histogram, others).sum())
    swapped = float(np.minimum(histogram.transpose(2, 1, 0), others).sum())
    return swapped - as_is


def _warning(code: str, message: str, config: X4ValConfig, line: int, hint: str) -> Diagnostic:
    return Diagnostic(
        severity="warning", code=f"x4val-{code}", message=message, hint=hint, file=config.file,
        line=line or None,
    )  # fmt: skip


def _error_text(code: str, message: str, config: X4ValConfig, line: int, hint: str) -> Diagnostic:
    return Diagnostic(
        severity="error", code=f"x4val-{code}", message=f"{message}.", hint=hint, file=config.file,
        line=line or None,
    )  # fmt: skip


def _error(code: str, message: str, config: X4ValConfig, line: int, error: UserError) -> Diagnostic:
    details = [text for text in (error.where, error.got, error.hint) if text]
    return _error_text(code, message, config, line, "; ".join(details))
