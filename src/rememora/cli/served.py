"""Names of a module's code on the command line: `mod-02-whatsapp-crm=shop.crm:send`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from rememora.errors import InvalidInput
from rememora.events.drain import Work

FORM = "must be name=package.file:function"


def named_work(option: str) -> tuple[str, Work]:
    """The module's name and the function that does its work; the working folder is looked through as well."""
    name, _, place = option.partition("=")
    path, _, function = place.partition(":")
    if not (name and path and function):
        raise InvalidInput("module", f"{FORM}, not {option!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise InvalidInput("module", f"no such Python module: {path!r}") from None
    work = getattr(found, function, None)
    if not callable(work):
        raise InvalidInput("module", f"no such function: {function!r} in {path!r}")
    return name, work
