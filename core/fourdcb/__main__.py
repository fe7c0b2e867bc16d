"""``python -m fourdcb``: the same as the ``fourdcb`` command."""

import sys

try:
    from fourdcb.cli import main
except KeyboardInterrupt:
    sys.exit(130)

if __name__ == "__main__":
    main()
