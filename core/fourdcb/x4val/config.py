"""``config.yaml``: what to train, how to evaluate, and which sources there are; mistakes told by line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from fourdcb.errors import UserError

Backbone = Literal["handcrafted", "resnet18", "vit_base", "efficientnet_b0", "efficientnet_lite0"]
LabelType = Literal["segmentation", "classification", "none"]
Domain = Literal["natural", "infrared", "synthetic"]

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogateConfig:
    """The embedding encoder and its training.

    Attributes:
        backbone: ``handcrafted`` needs no torch and no training.
        pretrained: how the weights came to be: ``simclr``, ``moco``, ``none``; nothing is ever downloaded.
        weights: file of trained weights, or None (random ones, said in the report).
        embedding_dim: length of a trained backbone's embedding; ``handcrafted`` has its own.
        batch_size, epochs, lr, optimizer, scheduler: of the training.
        image_size: side of the square that the encoder sees [px].
    """

    backbone: Backbone = "handcrafted"
    pretrained: Literal["simclr", "moco", "none"] = "none"
    weights: str | None = None
    embedding_dim: int = 512
    batch_size: int = 256
    epochs: int = 50
    lr: float = 0.03
    optimizer: Literal["sgd"] = "sgd"
    scheduler: Literal["cosine", "none"] = "cosine"
    image_size: int = 96


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """How means and intervals are made.

    Attributes:
        control_variate_k: neighbours that the consistency score asks.
        beta_init, beta_lr: of a β learned step by step. Accepted and recorded; β is the closed-form optimum
            here, which such steps only approach.
        num_bootstrap_samples: accepted and recorded; the bootstrap is used where scores are skewed, alone.
        confidence_level: nominal coverage.
        alert_below: consistency of one sample below which the online scorer warns.
    """

    control_variate_k: int = 5
    beta_init: float = 0.5
    beta_lr: float = 0.01
    num_bootstrap_samples: int = 1
    confidence_level: float = 0.95
    alert_below: float = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """One source of samples.

    Attributes:
        name: unique.
        path: folder of pictures or clips, relative to the configuration file.
        label_path: file (JSON, CSV) or folder of masks, or None.
        label_type: grain of the labels.
        weight_init: starting weight in the combined figure, > 0.
        domain: what augmentation its pictures bear: ``infrared`` and ``synthetic`` get the gentle one.
        line: of the entry, for complaints.
    """

    name: str
    path: str
    label_path: str | None = None
    label_type: LabelType = "none"
    weight_init: float = 1.0
    domain: Domain = "natural"
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class X4ValConfig:
    """A whole configuration; ``folder`` is what its paths are relative to."""

    surrogate: SurrogateConfig
    evaluation: EvaluationConfig
    sources: tuple[DataSource, ...]
    folder: Path
    file: str

    def resolve(self, path: str) -> Path:
        """A path of the configuration as a real one."""
        return self.folder / Path(path).expanduser()


def load_config(path: Path) -> X4ValConfig:
    """Read and check a configuration.

    Raises:
        UserError: with ``file:line`` for whatever is wrong.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        root: Any = YAML(typ="rt").load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError("the configuration cannot be read", where=str(path), got=error.strerror) from error
    except UnicodeDecodeError as error:
        raise UserError("the configuration is not UTF-8 text", where=str(path)) from error
    except MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark is not None else ""
        raise UserError(
            "the configuration is not valid YAML", where=f"{path}{line}", got=error.problem
        ) from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise UserError(
            "the configuration is not valid YAML", where=str(path), got=str(error)[:200]
        ) from error
    name = str(path)
    if not isinstance(root, dict):
        raise UserError("the configuration must be a table", where=name, got=type(root).__name__)
    _known(root, {"surrogate", "evaluation", "data_sources"}, name)
    listed: Any = root.get("data_sources")
    lines: Any = getattr(listed, "lc", None)
    if not isinstance(listed, list) or not listed:
        raise UserError(
            "the configuration names no data sources", where=name,
            expected="data_sources: a list of tables with name, path, label_path, label_type, weight_init",
        )  # fmt: skip
    sources = tuple(_record(DataSource, listed[k], name, lines.item(k)[0] + 1) for k in range(len(listed)))
    config = X4ValConfig(
        surrogate=_section(SurrogateConfig, root, "surrogate", name),
        evaluation=_section(EvaluationConfig, root, "evaluation", name),
        sources=sources, folder=path.resolve().parent, file=name,
    )  # fmt: skip
    _check(config)
    return config


def _section(kind: type[Record], root: Any, key: str, name: str) -> Record:
    if key not in root:
        return kind()
    return _record(kind, root[key], name, root.lc.key(key)[0] + 1)


def _record(kind: type[Record], entry: Any, name: str, line: int) -> Record:
    if not isinstance(entry, dict):
        raise UserError("expected a table", where=f"{name}:{line}", got=type(entry).__name__)
    table: Any = entry
    specs = {spec.name: spec for spec in fields(kind) if spec.name != "line"}  # type: ignore[arg-type]
    _known(table, set(specs), name)
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{name}:{table.lc.value(key)[0] + 1}"
        values[key] = _typed(value, _HINTS[kind][key], where, key)
    lacking = [n for n, spec in specs.items() if n not in values and spec.default is MISSING]
    if lacking:
        raise UserError("an entry lacks a key", where=f"{name}:{line}", expected=", ".join(lacking))
    if kind is DataSource:
        values["line"] = line
    return kind(**values)


def _typed(value: Any, hint: Any, where: str, key: str) -> Any:
    choices = [choice for choice in get_args(hint) if isinstance(choice, str)]
    if choices:
        if value is None and "none" in choices:  # YAML's null stands for none
            return "none"
        if value not in choices:
            near = difflib.get_close_matches(str(value), choices, 1)
            raise UserError(
                f"{key} has an unknown value", where=where, got=repr(value), expected=", ".join(choices),
                hint=f"did you mean {near[0]!r}?" if near else None,
            )  # fmt: skip
        return str(value)
    allowed: dict[Any, tuple[type, ...]] = {int: (int,), float: (int, float), str: (str,)}
    optional = type(None) in get_args(hint)
    if optional and value is None:
        return None
    wanted = next(iter(get_args(hint)), hint) if optional else hint
    if isinstance(value, bool) or not isinstance(value, allowed[wanted]):
        raise UserError(
            f"{key} has the wrong type", where=where, got=f"{value!r}", expected=str(wanted.__name__)
        )
    return str(value) if wanted is str else wanted(value)


def _hints(kind: type[Any]) -> Mapping[str, Any]:
    from typing import get_type_hints

    return get_type_hints(kind)


_HINTS: Mapping[type[Any], Mapping[str, Any]] = {
    kind: _hints(kind) for kind in (SurrogateConfig, EvaluationConfig, DataSource)
}


def _known(table: Any, known: set[str], name: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1)
            raise UserError(
                f"unknown key {str(key)[:60]!r}", where=f"{name}:{table.lc.key(key)[0] + 1}",
                expected=", ".join(sorted(known)), hint=f"did you mean {near[0]!r}?" if near else None,
            )  # fmt: skip


def _check(config: X4ValConfig) -> None:
    surrogate, evaluation = config.surrogate, config.evaluation
    positive = {
        "surrogate.embedding_dim": surrogate.embedding_dim, "surrogate.batch_size": surrogate.batch_size,
        "surrogate.epochs": surrogate.epochs, "surrogate.lr": surrogate.lr,
        "surrogate.image_size": surrogate.image_size,
        "evaluation.control_variate_k": evaluation.control_variate_k,
    }  # fmt: skip
    for key, value in positive.items():
        if value <= 0:
            raise UserError(f"{key} must be above 0", where=config.file, got=str(value))
    for key, value in (
        ("confidence_level", evaluation.confidence_level),
        ("alert_below", evaluation.alert_below),
    ):
        if not 0 < value < 1:
            raise UserError(f"evaluation.{key} must lie between 0 and 1", where=config.file, got=str(value))
    seen: dict[str, int] = {}
    for source in config.sources:
        where = f"{config.file}:{source.line}"
        if source.name in seen:
            raise UserError(
                f"two sources are called {source.name!r}",
                where=where,
                got=f"first in line {seen[source.name]}",
            )
        seen[source.name] = source.line
        if not source.weight_init > 0:
            raise UserError("weight_init must be above 0", where=where, got=str(source.weight_init))
        if (source.label_type == "none") != (source.label_path is None):
            raise UserError(
                "label_path and label_type do not fit", where=where,
                got=f"label_type {source.label_type}, label_path {source.label_path}",
                hint="label_type: none goes with label_path: null",
            )  # fmt: skip
