"""``python -m fourdcb``: the same as the ``fourdcb`` command."""

from fourdcb.cli import main

if __name__ == "__main__":
    main()
