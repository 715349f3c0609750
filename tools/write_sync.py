"""Writes `sync.py` from `app.py` (`make sync`): the same verbs and signatures, run through a portal."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src/rememora"
SOURCES = {
    "access": PACKAGE / "handles/access.py",
    "missions": PACKAGE / "handles/missions.py",
    "app": PACKAGE / "app.py",
}
TARGET = PACKAGE / "sync.py"
HANDLES = {
    "Access": "access",
    "Operator": "access",
    "UserMissions": "missions",
    "Conversation": "app",
    "UserMemory": "app",
    "Tenant": "app",
    "Rememora": "app",
}
"""Every handle, and the module that holds it."""

HEAD = '''"""The same verbs without `await`, for plain code; `make sync` writes this file from `app.py`."""
'''

PLUMBING = """
    def __init__(self, portal: Portal, inner: {module}.{name}) -> None:
        self._portal = portal
        self._inner = inner
"""

OPENING = '''
    @classmethod
    def open(cls, url: str | None = None, *, settings: Settings | None = None, clock: Clock = wiring.utc_now,
             embedder: Embedder | None = None, model: Model | None = None,
             responder: Responder | None = None, counter: Counter = count_tokens,
             background: bool = True) -> SyncRememora:
        """Open a store; close it, or use it as a context: `with SyncRememora.open() as rememora:`."""
        portal = Portal()
        try:
            opening = app.Rememora.open(
                url, settings=settings, clock=clock, embedder=embedder, model=model, responder=responder,
                counter=counter, background=background
            )
            return cls(portal, portal.run(opening.open()))
        except BaseException:
            portal.close()
            raise

    def __enter__(self) -> SyncRememora:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
'''

CLOSE = '''
    def close(self) -> None:
        """Stop the loops, finish what was submitted, close the store."""
        if self._portal.closed:
            return
        try:
            self._portal.run(self._inner.close())
        finally:
            self._portal.close()
'''


def sync_source() -> str:
    """The text of `sync.py`, formatted."""
    trees = [ast.parse(source.read_text(encoding="utf-8")) for source in SOURCES.values()]
    nodes = [node for tree in trees for node in tree.body]
    imports = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    own = [
        "import asyncio",
        "from collections.abc import Iterator",
        "from rememora import app, wiring",
        "from rememora.handles import access, missions",
        "from rememora.portal import Portal",
    ]
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    body = [_handle(classes[name]) for name in HANDLES]
    return _formatted("\n".join([HEAD, *imports, *own, "", *body]))


def _handle(node: ast.ClassDef) -> str:
    doc = ast.get_docstring(node)
    lines = [
        f'\nclass Sync{node.name}:\n    """{doc}"""\n',
        PLUMBING.format(name=node.name, module=HANDLES[node.name]),
    ]
    if node.name == "Rememora":
        lines.append(OPENING)
    verbs = (item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
    lines += [_verb(node.name, verb) for verb in verbs if not verb.name.startswith("_")]
    return "".join(lines)


def _verb(owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if owner == "Rememora" and node.name == "open":
        return ""
    if any(ast.unparse(mark) == "staticmethod" for mark in node.decorator_list):
        return _static(owner, node)
    if owner == "Rememora" and node.name == "close":
        return CLOSE
    result = ast.unparse(node.returns) if node.returns else "None"
    inner = f"self._inner.{node.name}"
    is_property = any(ast.unparse(mark) == "property" for mark in node.decorator_list)
    call = inner if is_property else f"{inner}({_forwarded(node.args)})"
    if isinstance(node, ast.AsyncFunctionDef):
        call = f"self._portal.run({call})"
    elif result.startswith("AsyncIterator["):
        result = result.removeprefix("Async")
        call = f"self._portal.iterate({call})"
    if result in HANDLES:
        result = f"Sync{result}"
        call = f"{result}(self._portal, {call})"
    mark = "    @property\n" if is_property else ""
    signature = f"    def {node.name}({ast.unparse(node.args)}) -> {result}:\n"
    doc = ast.get_docstring(node, clean=True) or ""
    body = f'        """{doc}"""\n        return {call}\n'
    return f"\n{mark}{signature}{body}"


def _static(owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """A verb that needs no open store runs in an event loop of its own."""
    names = [f"{arg.arg}={arg.arg}" for arg in [*node.args.args, *node.args.kwonlyargs]]
    call = f"asyncio.run(app.{owner}.{node.name}({', '.join(names)}))"
    result = ast.unparse(node.returns) if node.returns else "None"
    signature = f"    def {node.name}({ast.unparse(node.args)}) -> {result}:\n"
    doc = ast.get_docstring(node, clean=True) or ""
    return f'\n    @staticmethod\n{signature}        """{doc}"""\n        return {call}\n'


def _forwarded(args: ast.arguments) -> str:
    positional = [arg.arg for arg in args.args[1:]]
    named = [f"{arg.arg}={arg.arg}" for arg in args.kwonlyargs]
    rest = [f"**{args.kwarg.arg}"] if args.kwarg else []
    return ", ".join(positional + named + rest)


def _formatted(text: str) -> str:
    for arguments in (["check", "--fix-only", "--quiet", "--select", "F401,I"], ["format", "--quiet"]):
        command = [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(TARGET), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    TARGET.write_text(sync_source(), encoding="utf-8")
