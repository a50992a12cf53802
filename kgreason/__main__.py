"""``python -m kgreason`` is the command line."""

from kgreason.cli import main

main()
