"""`rememora init`: a starter project for a chosen framework, ready to run."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from rememora.cli.opened import Json, print_json
from rememora.errors import InvalidInput, UsageError

EXTRAS = {
    "plain": ("local",),
    "mem0": ("local",),
    "mcp": ("local", "mcp"),
    "langchain": ("local", "langchain"),
    "langgraph": ("local", "langgraph"),
    "openai-agents": ("local", "openai-agents"),
    "anthropic": ("local", "anthropic"),
    "google-adk": ("local", "google-adk"),
    "pydantic-ai": ("local", "pydantic-ai"),
    "llama-index": ("local", "llama-index"),
    "crewai": ("local", "crewai"),
}
"""Packages that a project of each framework installs besides this one."""
# Written into the new project.
README = """# A program that remembers

```console
python -m venv .venv
.venv/bin/pip install -r requirements.txt
.venv/bin/python main.py
```

The store is the folder `memory`; `.venv/bin/rememora memories --url memory` shows what is in it.
"""


def init(
    framework: Annotated[str, typer.Argument(help=f"One of {', '.join(EXTRAS)}.")] = "plain",
    folder: Annotated[Path, typer.Argument(help="Target folder; created if missing.")] = Path(),
    as_json: Json = False,
) -> None:
    """Write a starter project. Existing files are never changed."""
    if framework not in EXTRAS:
        raise InvalidInput("framework", f"must be one of {', '.join(EXTRAS)}")
    made = project(framework, folder.resolve())
    # All or nothing: half a project beside other files would be worse than none.
    taken = [name for name in made if (folder / name).exists()]
    if taken:
        raise UsageError(f"{', '.join(taken)} already exists: choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    if as_json:
        print_json({"framework": framework, "folder": str(folder), "files": list(made)})
    else:
        print(f"{', '.join(made)} in {folder}; README.md says how to run it")


def project(framework: str, folder: Path) -> dict[str, str]:
    """Return the files of a starter project in `folder`, by name."""
    main = (files("rememora.cli") / "starting" / f"{framework}.txt").read_text(encoding="utf-8")
    made = {
        "main.py": main,
        "requirements.txt": f"rememora[{','.join(EXTRAS[framework])}]\n",
        "README.md": README,
        ".gitignore": ".venv/\nmemory/\n",
    }
    if framework == "mcp":
        made["mcp.json"] = msgspec.json.format(msgspec.json.encode(_client(folder))).decode() + "\n"
    return made


def _client(folder: Path) -> dict[str, object]:
    """Return the settings that MCP clients share; the person is fixed here, because the protocol names none.

    Clients start it in a folder of their own, without the project's environment: so by whole paths.
    """
    args = ["-m", "rememora", "mcp", "--url", str(folder / "memory"), "--tenant", "home", "--user", "ana"]
    return {"mcpServers": {"rememora": {"command": str(folder / ".venv/bin/python"), "args": args}}}
