"""Which files belong to what the user opened: a scene folder, a script, one video or two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Literal

from fourdcb.dataset.layout import CANDIDATE_FOLDER, REFERENCE_NAME, VIDEO_NAME
from fourdcb.errors import UserError
from fourdcb.video.suffixes import VIDEO_SUFFIXES
from fourdcb.words import tr


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSources:
    """The files of one session.

    Attributes:
        title: what the window calls the scene.
        script: the candidate's script, None when only videos were opened.
        reference: the truth script, None when there is none.
        video: the original video.
        second_video: a video that stands in for the candidate when there is no script.
        candidates: every candidate script of the scene folder, sorted by name.
        outside: scripts that were opened from elsewhere, to be looked at in the same scene.
        frame: where to begin; None stays where the clock is.
        captions: what the two pictures are called; None for the usual names.
    """

    title: str
    script: Path | None = None
    reference: Path | None = None
    video: Path | None = None
    second_video: Path | None = None
    candidates: tuple[Path, ...] = ()
    outside: tuple[Path, ...] = ()
    frame: int | None = None
    captions: tuple[str, str] | None = None

    @property
    def cases(self) -> tuple[Path, ...]:
        """Every script that can be looked at in this scene, the folder's first."""
        return tuple(dict.fromkeys((*self.candidates, *self.outside)))

    def with_script(self, path: Path | None) -> SceneSources:
        """The same scene with another script on the bench; one that is not in the list joins it."""
        if path is None or path == self.script or path in self.cases:
            return replace(self, script=path)
        alone = () if self.script is None or self.cases else (self.script,)
        return replace(self, script=path, outside=(*alone, *self.outside, path))

    def joined(self, found: SceneSources, named: Literal["script", "video"]) -> SceneSources | None:
        """This scene with a file that was opened beside it: what it lacks is added, what it has is replaced.

        Args:
            found: what the file is by itself.
            named: what it is; the rest of ``found`` is there only because it lies beside it.

        Returns:
            None where the file is a scene of its own: it brings a whole one, and nothing here lacks.
        """
        if not self.title:
            return None
        if named == "script":
            if (found.video, found.reference) == (self.video, self.reference):
                return self.with_script(found.script)
            brings = found.original is not None and (self.script is not None or self.original is None)
            return None if brings else replace(self.with_script(found.script), second_video=None)
        lacks = self.script is not None and self.original is None
        return self._with_video(found) if lacks or found.reference is None else None

    def _with_video(self, found: SceneSources) -> SceneSources:
        """Another video; the truth of the former one means nothing beside it."""
        truth = self.reference if self.video is None else None
        return replace(
            self,
            video=found.video,
            second_video=None,
            reference=found.reference or truth,
            title=self.title if self.script is not None else found.title,
        )

    @property
    def original(self) -> Path | None:
        """What a script is judged by: the video, else the truth script."""
        return self.video or (self.reference if self.reference != self.script else None)

    def case_name(self, path: Path) -> str:
        """What a case is called: its file's name, after the nearest folder by which it differs from those
        of the same name.
        """
        alike = [other for other in self.cases if other.name == path.name and other != path]
        if not alike:
            return path.name
        for depth, folder in enumerate(path.parents):
            others = {other.parents[depth].name for other in alike if len(other.parents) > depth}
            if folder.name not in others:
                return f"{folder.name}/{'…/' if depth else ''}{path.name}"
        return str(path)

    @property
    def files(self) -> dict[str, str]:
        """Paths by their part in a judgement."""
        parts = {"code": self.script, "video": self.video, "reference": self.reference}
        return {part: str(path) for part, path in parts.items() if path is not None}

    @property
    def names(self) -> tuple[str, str]:
        """What the two pictures are called; two videos go by their own names."""
        if self.captions is not None:
            return self.captions
        if self.video is None or self.second_video is None:
            return tr("Original"), tr("Replay")
        return video_names(self.video, self.second_video)

    def short_paths(self, folder: Path) -> list[str]:
        """Arguments that open the same files again from ``folder``, as short as they can be said."""
        scene = None if self.script is None or not self.candidates else self.candidates[0].parent.parent
        if scene is not None and self.script in self.candidates and self.video == _scene_video(scene):
            name = scene.name if _is_bundled(scene) else _relative(scene, folder)
            assert self.script is not None
            return [name] if self.script == self.candidates[0] else [name, "--code", self.script.name]
        case = _case_sources(self.script.parent) if self.script is not None else None
        if case is not None and (case.script, case.video) == (self.script, self.video):
            assert self.script is not None
            return [_relative(self.script.parent, folder)]
        files = (self.script, self.video, self.second_video)
        return [_relative(path, folder) for path in files if path is not None]

    @property
    def pair(self) -> tuple[str, str] | None:
        """The two videos that are compared with each other, if that is what was opened."""
        if self.video is None or self.second_video is None:
            return None
        return str(self.video), str(self.second_video)


def bundled_scene(name: str) -> Path:
    """Folder of a scene that is shipped with the package. Raises UserError when it is not there."""
    folder = Path(str(resources.files("fourdcb_resources"))) / "scenes" / name
    if not folder.is_dir():
        raise UserError(tr("no such bundled scene"), got=name, expected=", ".join(bundled_scene_names()))
    return folder


def is_bundled(path: Path) -> bool:
    """Whether a file is one of those that are shipped with the package."""
    return path.resolve().is_relative_to(Path(str(resources.files("fourdcb_resources"))).resolve())


def bundled_scene_names() -> tuple[str, ...]:
    """Names of the scenes that are shipped with the package."""
    root = Path(str(resources.files("fourdcb_resources"))) / "scenes"
    if not root.is_dir():
        return ()
    return tuple(sorted(p.name for p in root.iterdir() if (p / REFERENCE_NAME).is_file()))


def find_sources(paths: Sequence[Path]) -> SceneSources:
    """The scene that a list of paths means.

    A folder holds ``world.py``, ``video.mp4`` and ``candidates/*.py``. A script is the candidate, further
    ones are candidates to go through; a ``world.py`` beside the video, or above the ``candidates``
    folder, is its reference. Two videos are compared with each other.

    Raises:
        UserError: when a path does not exist, or the combination means nothing.

    A bare name that is no file here may be that of a bundled scene.
    """
    try:
        return _found(paths)
    except OSError as error:  # a name that no file can have, a folder that may not be entered
        where = None if error.filename is None else str(error.filename)
        raise UserError(tr("this cannot be opened"), where=where, got=error.strerror) from error


def _found(paths: Sequence[Path]) -> SceneSources:
    paths = [_known(path) for path in paths]
    folders = [p.resolve() for p in paths if p.is_dir()]
    scripts = [p.resolve() for p in paths if p.is_file() and p.suffix == ".py"]
    videos = [p.resolve() for p in paths if p.is_file() and p.suffix.lower() in VIDEO_SUFFIXES]
    _check_combination(paths, folders, scripts, videos)
    if len(videos) == 2:
        title = " ↔ ".join(video_names(*videos))
        return SceneSources(title=title, video=videos[0], second_video=videos[1])
    folder = folders[0] if folders else _scene_folder(scripts, videos)
    return _of_folder(folder, scripts, videos[0] if videos else None)


def _check_combination(
    paths: Sequence[Path], folders: list[Path], scripts: list[Path], videos: list[Path]
) -> None:
    known = len(folders) + len(scripts) + len(videos)
    if known < len(paths):
        taken = {*folders, *scripts, *videos}
        other = next(p for p in paths if p.resolve() not in taken)  # a pipe or device, too, has any name
        raise UserError(
            tr("neither a script nor a video"),
            where=str(other),
            expected=tr("a folder, a .py script or one of ") + " ".join(sorted(VIDEO_SUFFIXES)),
        )
    fine = len(folders) <= 1 and (len(videos) <= 1 or known == 2 == len(videos))
    if not fine or known == 0:
        raise UserError(
            tr("cannot open these together"),
            got=", ".join(str(p) for p in paths) or "nothing",
            expected=tr("a scene folder, scripts, scripts and a video, one video, or two videos"),
        )


def _scene_folder(scripts: list[Path], videos: list[Path]) -> Path | None:
    if scripts and scripts[0].parent.name == CANDIDATE_FOLDER:
        return scripts[0].parent.parent
    if videos and (videos[0].parent / REFERENCE_NAME).is_file():
        return videos[0].parent
    return None


def _case_sources(folder: Path) -> SceneSources | None:
    """The files of a folder that was stored as a case of a library; None for any other folder."""
    if not (folder / "case.json").is_file():
        return None
    from fourdcb.library.scan import case_files

    found = case_files(folder)
    if found is None:
        return None
    title, files = found
    return SceneSources(title=title, script=files.script, reference=files.reference, video=files.video)


def failing_frame(report: Path) -> int:
    """The frame of a report's first finding; the first frame where it tells none."""
    from fourdcb.library.summary import read_summary

    try:
        finding = read_summary(report).finding
    except UserError:  # the case is judged anew in any case
        return 0
    return (finding.frame if finding is not None else None) or 0


def _of_folder(folder: Path | None, scripts: Sequence[Path], video: Path | None) -> SceneSources:
    case = _case_sources(folder) if folder is not None and not scripts and video is None else None
    if case is not None and folder is not None:
        from fourdcb.library.scan import REPORT_NAME

        return replace(case, frame=failing_frame(folder / REPORT_NAME))
    script = scripts[0] if scripts else None
    reference = _existing(folder, REFERENCE_NAME)
    video = video or (_scene_video(folder) if folder else None)
    if script is None and video is not None and folder is None:
        return SceneSources(title=video.stem, video=video)
    candidates = tuple(sorted((folder / CANDIDATE_FOLDER).glob("*.py"))) if folder else ()
    script = script or (candidates[0] if candidates else reference)
    if script is None and video is None:
        raise UserError(
            tr("nothing to open in this folder"),
            where=str(folder),
            expected=tr(
                "{reference_name}, {video_name} or {candidate_folder}/*.py",
                reference_name=REFERENCE_NAME,
                video_name=VIDEO_NAME,
                candidate_folder=CANDIDATE_FOLDER,
            ),
        )
    title = folder.name if folder else (script or video or Path("scene")).stem
    outside = tuple(path for path in scripts if path not in candidates)
    return SceneSources(
        title=title,
        script=script,
        reference=reference,
        video=video,
        candidates=candidates,
        outside=outside if candidates or len(outside) > 1 else (),
    )


def kind_of(path: Path) -> Literal["script", "video"]:
    """What a file is by its name."""
    return "video" if path.suffix.lower() in VIDEO_SUFFIXES else "script"


def named_script(name: str, paths: Sequence[Path]) -> Path:
    """The script that ``--code`` means: a path, or the name of a candidate of the scene folder.

    Raises:
        UserError: when there is none.
    """
    if Path(name).is_file():
        return Path(name)
    folders = [p for p in (_known(path) for path in paths) if p.is_dir()]
    file_name = name if name.endswith(".py") else f"{name}.py"
    for folder in folders:
        if (folder / CANDIDATE_FOLDER / file_name).is_file():
            return folder / CANDIDATE_FOLDER / file_name
    known = sorted(p.stem for folder in folders for p in (folder / CANDIDATE_FOLDER).glob("*.py"))
    raise UserError(tr("no such script"), got=name, expected=", ".join(known) or tr("a path of a script"))


def video_names(first: Path, second: Path) -> tuple[str, str]:
    """Short names of two videos that tell them apart."""
    if first.name != second.name:
        return first.name, second.name
    return f"{first.parent.name}/{first.name}", f"{second.parent.name}/{second.name}"


def _known(path: Path) -> Path:
    if path.exists():
        return path
    bundled = bundled_scene_names()
    if len(path.parts) == 1 and path.name in bundled:
        return bundled_scene(path.name)
    hint = tr("bundled scenes: ") + ", ".join(bundled) if bundled else None
    raise UserError(tr("no such file or folder"), where=str(path), hint=hint)


def _is_bundled(folder: Path) -> bool:
    return folder.name in bundled_scene_names() and folder == bundled_scene(folder.name).resolve()


def _scene_video(folder: Path) -> Path | None:
    return _existing(folder, VIDEO_NAME) or _only_video(folder)


def _relative(path: Path, folder: Path) -> str:
    inside = path.is_relative_to(folder)
    return str(path.relative_to(folder)) if inside else str(path)


def _existing(folder: Path | None, name: str) -> Path | None:
    return folder / name if folder and (folder / name).is_file() else None


def _only_video(folder: Path | None) -> Path | None:
    found = [] if folder is None else [p for p in folder.iterdir() if p.suffix.lower() in VIDEO_SUFFIXES]
    return found[0] if len(found) == 1 else None
