"""The ``fourdcb`` command. Verbs live one a file and import their rooms only when they run."""

from __future__ import annotations

import os
import sys

from fourdcb.cli.streams import silence_output
from fourdcb.errors import FourDCBError, UserError
from fourdcb.threads import calm_blas

EXIT_OK, EXIT_NOT_DEPLOYABLE, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 130


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with its code.

    0 ok, 1 verdict not deployable, 2 bad input, 130 interrupted.
    """
    _prepare_streams()
    calm_blas()
    try:
        sys.exit(_run(argv))
    except FourDCBError as error:
        _fail(str(error))
    except BrokenPipeError:
        silence_output()
        sys.exit(EXIT_OK)
    except OSError as error:
        # Rooms tell their own files' troubles; what is left is the terminal, or a machine out of resources.
        silence_output()
        where = "standard output" if error.filename is None else str(error.filename)
        _fail(str(UserError(error.strerror or str(error), where=where)))
    except KeyboardInterrupt:
        # Once code compiled from text was interrupted (a dataclass's or a kernel's), `python -m` ends by the
        # signal, whatever is exited with; running any such code takes that back.
        exec("")
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)


def _run(argv: list[str] | None) -> int:
    """The exit code of one verb. Raises what the verb raises."""
    from fourdcb.cli.app import build_app

    stdout = sys.stdout
    try:
        build_app()(args=argv, prog_name="fourdcb", standalone_mode=True)
    except SystemExit as ended:
        if sys.stdout is not stdout:  # typer's own answer to a broken pipe, with an exit code of 1
            sys.stdout = stdout
            raise BrokenPipeError from ended
        stdout.flush()  # now, while a failure can still be told
        code = ended.code if isinstance(ended.code, int) else EXIT_BAD_INPUT
        if code == EXIT_INTERRUPTED:
            raise KeyboardInterrupt from ended
        return code
    return EXIT_OK


def _prepare_streams() -> None:
    """A closed standard stream swallows its text; what a terminal cannot show is escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _fail(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(EXIT_BAD_INPUT)
