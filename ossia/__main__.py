"""`python -m ossia`."""

from ossia.cli import main

main()
