"""Writes `sync/` from the handles and `app.py` (`make sync`): the same verbs and signatures, through a portal."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src/rememora"
TARGET = PACKAGE / "sync"
SOURCES = {
    "Access": "handles/access.py",
    "Operator": "handles/operator.py",
    "OperatorTenants": "handles/operator_tenants.py",
    "Conversation": "handles/conversation.py",
    "UserMemory": "handles/user/__init__.py",
    "UserArchive": "handles/user/archive.py",
    "UserAudit": "handles/user/audit.py",
    "UserConversations": "handles/user/conversations.py",
    "UserEntities": "handles/user/entities.py",
    "UserGate": "handles/user/gate.py",
    "UserMemories": "handles/user/memories.py",
    "UserProfile": "handles/user/profile.py",
    "UserProposals": "handles/user/proposals.py",
    "UserTasks": "handles/user/tasks.py",
    "UserMissions": "handles/missions.py",
    "UserDocuments": "handles/documents.py",
    "Tenant": "handles/tenant/__init__.py",
    "TenantAudit": "handles/tenant/audit.py",
    "TenantEvents": "handles/tenant/events.py",
    "TenantMemories": "handles/tenant/memories.py",
    "TenantMissions": "handles/tenant/missions.py",
    "TenantQuality": "handles/tenant/quality.py",
    "TenantQuarantine": "handles/tenant/quarantine.py",
    "TenantTasks": "handles/tenant/tasks.py",
    "StoreCredentials": "handles/opened/credentials.py",
    "StoreEvents": "handles/opened/events.py",
    "StoreHealth": "handles/opened/health.py",
    "StoreModules": "handles/opened/modules.py",
    "StoreSessions": "handles/opened/sessions.py",
    "Rememora": "app.py",
}
"""Where the verbs of each handle are written; the shell of it stands under the same name in `sync/`."""

HANDLES = tuple(SOURCES)
EXPORTED = (
    "Access",
    "Conversation",
    "Operator",
    "Rememora",
    "Tenant",
    "UserDocuments",
    "UserMemory",
    "UserMissions",
)
"""The handles that `rememora` exports; the nouns are reached through them."""
ASYNC_ONLY = frozenset({"board", "bus"})
"""What agents hold while they work: async by nature, so plain code has no use for it."""

ALL = '''"""The same verbs without `await`, for plain code; `make sync` writes this folder from the handles."""

{imports}

__all__ = {names}
'''
HEAD = '''"""`{name}` without `await`; `make sync` writes this file from `{source}`."""
'''

PLUMBING = """
    def __init__(self, portal: Portal, inner: wrapped.{name}) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{{type(self).__name__}} of {{self._inner!r}}>"
"""

OPENING = '''
    @classmethod
    def open(cls, url: str | None = None, *, settings: Settings | None = None, clock: Clock = utc_now,
             embedder: Embedder | None = None, reranker: Reranker | None = None, model: Model | None = None,
             responder: Responder | None = None, counter: Counter = count_tokens,
             background: bool = True) -> SyncRememora:
        """Open a store; close it, or use it as a context: `with SyncRememora.open() as rememora:`."""
        portal = Portal()
        try:
            opening = app.Rememora.open(
                url, settings=settings, clock=clock, embedder=embedder, reranker=reranker, model=model,
                responder=responder, counter=counter, background=background
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


def sync_sources() -> dict[str, str]:
    """The texts of `sync/` by file name, formatted."""
    shells = {_file(source): _shell(name, source) for name, source in SOURCES.items()}
    shells |= {
        str(folder / "__init__.py"): _package(folder)
        for folder in {Path(file).parent for file in shells}
        if str(folder / "__init__.py") not in shells and folder != Path()
    }
    names = sorted(f"Sync{name}" for name in EXPORTED)
    imports = "\n".join(f"from {shell_module(name)} import Sync{name}" for name in EXPORTED)
    return {"__init__.py": _formatted(ALL.format(imports=imports, names=names), "__init__.py"), **shells}


def _file(source: str) -> str:
    """The file in `sync/` of a source."""
    return source.removeprefix("handles/")


def _package(folder: Path) -> str:
    """The head of a folder, as the handles have it."""
    doc = ast.get_docstring(ast.parse((PACKAGE / "handles" / folder / "__init__.py").read_text(encoding="utf-8")))
    return f'"""{doc}"""\n'


def _dotted(file: str) -> str:
    """The path of a module as an import names it."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def source_module(name: str) -> str:
    """Return the module of a handle."""
    return f"rememora.{_dotted(SOURCES[name])}"


def shell_module(name: str) -> str:
    """Return the module of a handle's shell."""
    return f"rememora.sync.{_dotted(_file(SOURCES[name]))}"


def _shell(name: str, source: str) -> str:
    tree = ast.parse((PACKAGE / source).read_text(encoding="utf-8"))
    nodes = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    imports = [ast.unparse(node) for node in nodes]
    others = [f"from {shell_module(other)} import Sync{other}" for other in HANDLES if other != name]
    package, _, module = source_module(name).rpartition(".")
    own = [
        "import asyncio",
        "from collections.abc import Iterator",
        "from rememora import app",
        f"from {package} import {module} as wrapped",
        "from rememora.portal import Portal",
        *others,
    ]
    (node,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
    return _formatted(
        "\n".join([HEAD.format(name=name, source=source), *imports, *own, "", _handle(node)]), source
    )


def _handle(node: ast.ClassDef) -> str:
    # Old names lead to new ones here as there; the other bases hold what a shell does not need.
    bases = ", ".join(base for base in map(ast.unparse, node.bases) if base.startswith("Old"))
    head = f"Sync{node.name}({bases})" if bases else f"Sync{node.name}"
    doc = ast.get_docstring(node, clean=False)
    lines = [f'\nclass {head}:\n    """{doc}"""\n', PLUMBING.format(name=node.name)]
    if node.name == "Rememora":
        lines.append(OPENING)
    verbs = (item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
    lines += [_verb(node.name, verb) for verb in verbs if not verb.name.startswith("_")]
    return "".join(lines)


def _verb(owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if node.name in ASYNC_ONLY or (owner == "Rememora" and node.name == "open"):
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


def _formatted(text: str, file: str) -> str:
    for arguments in (["check", "--fix-only", "--quiet", "--select", "F401,I"], ["format", "--quiet"]):
        command = [
            sys.executable,
            "-m",
            "ruff",
            *arguments,
            "--stdin-filename",
            # Under another name than `__init__.py`, whose imports would count as exports.
            str((TARGET / _file(file)).with_name("shell.py")),
            "-",
        ]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    TARGET.mkdir(exist_ok=True)
    for file, text in sync_sources().items():
        (TARGET / file).parent.mkdir(exist_ok=True)
        (TARGET / file).write_text(text, encoding="utf-8")
