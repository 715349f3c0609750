"""`python -m rememora` is the command line."""

from rememora.command import main

main()
