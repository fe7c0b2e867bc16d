"""The ``fourdcb`` command. Verbs live one a file and import their rooms only when they run."""

from __future__ import annotations

import os
import sys

from fourdcb.errors import FourDCBError, UserError

EXIT_OK, EXIT_NOT_DEPLOYABLE, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 130


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with its code.

    0 ok, 1 verdict not deployable, 2 bad input, 130 interrupted.
    """
    from fourdcb.cli.app import build_app

    try:
        build_app()(args=argv, prog_name="fourdcb", standalone_mode=True)
    except UserError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader (`| head`) went away; nothing is left to tell, and the flush at exit must not fail too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_OK)
    except FourDCBError as error:
        _fail(str(error))


def _fail(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(EXIT_BAD_INPUT)
