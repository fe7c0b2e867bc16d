"""``python -m fourdcb.eval --code … --video … --output …``: the same as ``fourdcb eval``."""

import sys

from fourdcb.cli import main

if __name__ == "__main__":
    main(["eval", *sys.argv[1:]])
