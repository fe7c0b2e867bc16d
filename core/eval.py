"""``python core/eval.py --code … --video … --output …``: the same as ``fourdcb eval``, from a source tree."""

import sys

from fourdcb.cli import main

if __name__ == "__main__":
    main(["eval", *sys.argv[1:]])
