"""Entry point of the command line: `rememora …` if its libraries are installed, else what to install."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec

INSTALL = "the command line needs its libraries: pip install 'rememora[cli]' (`local` and `server` bring them too)"


def main() -> None:
    """Run the command line; the version is printed without loading it."""
    if sys.argv[1:] == ["--version"]:
        print(version("rememora"))
        return
    if find_spec("typer") is None or find_spec("rich") is None:
        sys.exit(INSTALL)
    # Loaded here, so that a library installed without these packages can say what is missing.
    import_module("rememora.cli").main()
