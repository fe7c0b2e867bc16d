"""``python -m fourdcb_studio``."""

import sys

if __name__ == "__main__":  # the simulation process imports this module under another name
    from fourdcb_studio.app import main

    sys.exit(main())
