"""The reference pages of the Python API: every handle with its verbs, and the types that they take and return.

Signatures and fields are read from the source, as the author wrote them; types are followed from `Rememora` on.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from types import FunctionType
from typing import Any, Literal, get_args, get_origin, is_typeddict

import msgspec
from tools.reference_markdown import NOTE, as_page, as_table, doc_of

import rememora
from rememora import missions
from rememora.knowledge.export import HeldConversation, HeldMemory

WIDTH = 100
KEPT_DECORATORS = ("classmethod", "staticmethod", "property")
NAME = re.compile(r"[A-Za-z_]\w*")
MODULE = re.compile(r"(?:[a-z_]\w*\.)+(?=\w)")
TYPES = "python-types.md"
ON_PAGES = {"Settings": "settings.md", "Event": "events.md#envelope"}
"""Types that have a page of their own."""
HEAD = """Handles are imported from `rememora` or reached from one, and are made without touching the store.
A verb that says `async def` is awaited.
The plain twins ({twins}) have the same verbs without `await`.
[Types](python-types.md) has what verbs take and return, [Errors](errors.md) what they raise, and
[Versions and deprecation](../versioning.md) what is promised between versions.
"""
TYPES_HEAD = """What the verbs of the [Python API](python.md) take and return, and what these hold.
A type is imported from `rememora` where no other module is named, and does not change after it was made.
"""


def python_page() -> str:
    """Every handle with its verbs, and every function."""
    twins = ", ".join(f"`{name}`" for name in rememora.__all__ if name.startswith("Sync"))
    parts = ["# Python\n", NOTE, HEAD.format(twins=twins)]
    parts += ["## Handles\n", as_table(["handle", "reached by", "about"], _handle_rows()), ""]
    for kind in handles():
        parts += [f"## {kind.__name__}\n", f"{_prose(kind)}\n", *_nouns(kind), *_verbs(kind)]
    parts += ["## Functions\n"]
    for function in functions():
        parts += _verb(function.__name__, function, owner="")
    return as_page([*parts, "## Rights\n", as_table(["constant", "grants"], _constant_rows())])


def types_page() -> str:
    """Every type that the Python API names, with its fields."""
    parts = ["# Types of the Python API\n", NOTE, TYPES_HEAD]
    for kind in types():
        parts += [f"## {kind.__name__}\n", *_shape(kind)]
    return as_page(parts)


@cache
def handles() -> dict[type, str]:
    """Every handle, with how it is reached from `rememora`, in the order in which they are met."""
    ways: dict[type, str] = {rememora.Rememora: "`Rememora.open(…)`"}
    waiting: list[tuple[type, str]] = [(rememora.Rememora, "rememora")]
    while waiting:
        kind, path = waiting.pop(0)
        for name, member in members(kind):
            step = f"{path}.{name}" if isinstance(member, property) else f"{path}.{name}(…)"
            for answered in _named(_function(member), _node(member).returns):
                if _is_handle(answered) and answered not in ways:
                    ways[answered] = f"`{step}`"
                    waiting.append((answered, step))
    # What an agent of a mission is given; no verb returns it.
    return {**ways, missions.CallContext: "an agent's argument"}


def functions() -> list[FunctionType]:
    """The functions of the package, by name."""
    named = [getattr(rememora, name) for name in rememora.__all__]
    return sorted(filter(inspect.isfunction, named), key=lambda item: item.__name__)


@cache
def types() -> list[type]:
    """Every type that the package exports, a verb takes or returns, or an export holds, and what these hold."""
    exported = [getattr(module, name) for module in (rememora, missions) for name in module.__all__]
    waiting = [item for item in (*exported, HeldMemory, HeldConversation) if isinstance(item, type)]
    for item in _verbs_of_all():
        waiting += _named(item, _node(item))
    by_name: dict[str, type] = {}
    while waiting:
        kind = waiting.pop()
        if kind in handles() or kind.__name__ in by_name or _is_left_out(kind):
            continue
        by_name[kind.__name__] = kind
        for owner, _, node in _fields(kind):
            waiting += _named(owner, node)
    return [by_name[name] for name in sorted(by_name)]


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public verbs and nouns of a handle, as it and its bases have them; old names are left out."""
    shown: set[str] = set()
    for base in kind.__mro__:
        if base is object or base.__name__.startswith("Old"):
            continue
        for name, member in vars(base).items():
            inner = getattr(member, "__func__", member)
            if not name.startswith("_") and name not in shown and isinstance(inner, property | FunctionType):
                shown.add(name)
                yield name, member


def _is_handle(kind: type) -> bool:
    """Return whether a class offers verbs: no value, no opening, and nothing that a host implements."""
    if issubclass(kind, msgspec.Struct | enum.Enum) or is_typeddict(kind) or getattr(kind, "_is_protocol", False):
        return False
    return kind.__name__ != "Opening" and next(members(kind), None) is not None


def _is_left_out(kind: type) -> bool:
    """Return whether a class has its own page, is the twin of a handle, or is machinery that no verb names."""
    if kind.__name__ in ON_PAGES or kind.__name__.startswith("Sync"):
        return True
    return not kind.__module__.startswith("rememora") or kind is missions.Missions


def _verbs_of_all() -> Iterator[Callable[..., Any]]:
    for kind in handles():
        yield from (_function(member) for _, member in members(kind))
    yield from functions()


def _function(member: Any) -> Any:
    """The function behind a property, a class method or a decorator."""
    inner: Any = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    return inspect.unwrap(inner)


@cache
def _parsed(item: Any) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(item))).body[0]


def _node(member: Any) -> Any:
    return _parsed(_function(member))


def _named(owner: Any, node: ast.AST | None) -> list[type]:
    """The types of the package that an annotation names, also behind an alias, in their order."""
    return [item for value in _values(owner, node) for item in _behind(value)]


def _values(owner: Any, node: ast.AST | None) -> list[Any]:
    """Return the meaning of names in annotations, looked up in the module of their owner."""
    if node is None:
        return []
    known = vars(inspect.getmodule(owner))
    names = dict.fromkeys(name for piece in _annotations(node) for name in NAME.findall(ast.unparse(piece)))
    return [known[name] for name in names if name in known]


def _choices(owner: Any, node: ast.AST) -> list[str]:
    """Describe the names of an annotation that are no class: some words, or a function of the host's."""
    known = vars(inspect.getmodule(owner))
    names = dict.fromkeys(name for piece in _annotations(node) for name in NAME.findall(ast.unparse(piece)))
    notes = []
    for name in names:
        value = known.get(name)
        if get_origin(value) is Literal:
            notes.append(f"`{name}` is one of {', '.join(f'`{word}`' for word in get_args(value))}")
        elif get_origin(value) is Callable and get_args(value):
            notes.append(f"`{name}` is `{MODULE.sub('', repr(value))}`".replace("'", ""))
    return notes


def _annotations(node: ast.AST) -> list[ast.expr]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node] if isinstance(node, ast.expr) else []
    taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    written = [item.annotation for item in taken if item is not None and item.annotation is not None]
    return [*written, *([node.returns] if node.returns else [])]


def _behind(value: Any) -> list[type]:
    if isinstance(value, type) and get_origin(value) is None:
        return [value] if value.__module__.startswith("rememora") else []
    parts = value if isinstance(value, list) else get_args(value)
    return [item for part in parts if not isinstance(part, str) for item in _behind(part)]


def _fields(kind: type) -> Iterator[tuple[type, str, ast.expr]]:
    """The fields of a class with the base that declares each, as the source writes them."""
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("rememora"):
            continue
        for item in getattr(_parsed(base), "body", []):
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and _is_field(item):
                yield base, item.target.id, item.annotation


def _is_field(item: ast.AnnAssign) -> bool:
    return not ast.unparse(item.target).startswith("_") and "ClassVar" not in ast.unparse(item.annotation)


def _handle_rows() -> Iterator[list[str]]:
    for kind, reached in handles().items():
        yield [_link(kind), reached, _prose(kind).partition("\n\n")[0].replace("\n", " ")]


def _nouns(kind: type) -> list[str]:
    properties = [(name, member) for name, member in members(kind) if isinstance(member, property)]
    rows = [[f"`{name}`", _answered(member), doc_of(member)] for name, member in properties]
    return [as_table(["noun", "is", "about"], rows), ""] if rows else []


def _answered(member: Any) -> str:
    returned = _node(member).returns
    return _links(_named(_function(member), returned)) or f"`{ast.unparse(returned)}`"


def _verbs(kind: type) -> Iterator[str]:
    for name, member in members(kind):
        if not isinstance(member, property):
            yield from _verb(name, _function(member), owner=f"{kind.__name__}.")


def _verb(name: str, function: FunctionType, *, owner: str) -> Iterator[str]:
    yield f"### {owner}{name}\n"
    yield f"```pyi\n{signature(function)}\n```\n"
    yield f"{_prose(function)}\n"
    node = _node(function)
    named = [f"See {links}"] if (links := _links(_named(function, node))) else []
    if notes := [*_choices(function, node), *named]:
        yield "\n".join(f"{note}." for note in notes) + "\n"


def signature(function: Any) -> str:
    """A function's head as its author wrote it, without `self`, broken into lines where it is long."""
    node = _node(function)
    decorators = [f"@{name}\n" for item in node.decorator_list if (name := ast.unparse(item)) in KEPT_DECORATORS]
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    pieces = list(_pieces(node.args))
    head = f"{word} {node.name}({', '.join(pieces)}){returned}"
    if len(head) > WIDTH:
        lines = "".join(f"    {piece},\n" for piece in pieces)
        head = f"{word} {node.name}(\n{lines}){returned}"
    return "".join(decorators) + head.replace("builtins.", "")


def _pieces(arguments: ast.arguments) -> Iterator[str]:
    """The arguments of a head, each as its own text."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + [*arguments.defaults]
    for argument, default in zip(plain, defaults, strict=True):
        if argument.arg not in ("self", "cls"):
            yield _piece(argument, default)
    if arguments.vararg or arguments.kwonlyargs:
        yield f"*{ast.unparse(arguments.vararg)}" if arguments.vararg else "*"
    yield from map(_piece, arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def _piece(argument: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(argument) + (f" = {ast.unparse(default)}" if default else "")


def _shape(kind: type) -> list[str]:
    home = _home(kind)
    about = [f"{_prose(kind)}\n", *([f"From `{home}`.\n"] if home != "rememora" else [])]
    if issubclass(kind, enum.Enum):
        rows = [[f"`{item.name}`", f"`{item.value}`"] for item in kind]
        return [*about, as_table(["member", "value"], rows), ""]
    if is_typeddict(kind) and not vars(kind)["__required_keys__"]:
        about += ["Keyword arguments, each of which may be left out.\n"]
    elif not is_typeddict(kind) and not issubclass(kind, msgspec.Struct):
        heads = [signature(_function(item)) for item in vars(kind).values() if _is_promised(item)]
        return [*about, "```pyi\n" + "\n\n".join(heads) + "\n```\n"] if heads else about
    elif issubclass(kind, msgspec.Struct) and not kind.__struct_config__.frozen:
        about += ["It can be changed.\n"]
    rows = list(_field_rows(kind))
    heads = ["field", "type", "default", "meaning"]
    if not any(row[3] for row in rows):
        heads, rows = heads[:3], [row[:3] for row in rows]
    return [*about, as_table(heads, rows), ""] if rows else about


def _is_promised(member: Any) -> bool:
    """Return whether a member of a protocol is to be implemented; an opening has only verbs."""
    inner = _function(member) if isinstance(member, FunctionType | property) else None
    return inner is not None and (inner.__name__ == "__call__" or not inner.__name__.startswith("_"))


def _field_rows(kind: type) -> Iterator[list[str]]:
    defaults = _defaults(kind)
    for owner, name, annotation in _fields(kind):
        shown = f"`{ast.unparse(annotation)}`"
        linked = _links(_named(owner, annotation))
        meaning = [_note(owner, name), *(f"{choice}." for choice in _choices(owner, annotation))]
        whole = linked.startswith(f"[{shown}]")
        row = [f"`{name}`", linked if whole else ", ".join(filter(None, (shown, linked))), defaults[name]]
        yield [*row, " ".join(filter(None, meaning))]


def _defaults(kind: type) -> dict[str, str]:
    """The default of each field, as the source writes it; of what a protocol or a mapping has, none."""
    required = "" if is_typeddict(kind) or not issubclass(kind, msgspec.Struct) else "required"
    result = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("rememora"):
            for item in getattr(_parsed(base), "body", []):
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    result[item.target.id] = f"`{ast.unparse(item.value)}`" if item.value else required
    return result


def _note(owner: type, name: str) -> str:
    """The text under a field, where there is one."""
    body = getattr(_parsed(owner), "body", [])
    for item, after in pairwise(body):
        if isinstance(item, ast.AnnAssign) and ast.unparse(item.target) == name and isinstance(after, ast.Expr):
            text = after.value.value if isinstance(after.value, ast.Constant) else ""
            return " ".join(str(text).split())
    return ""


def _home(kind: type) -> str:
    """The module to import a type from: the package that exports it, or its own."""
    homes = [module.__name__ for module in (rememora, missions) if kind.__name__ in module.__all__]
    return homes[0] if homes else kind.__module__


def _constant_rows() -> Iterator[list[str]]:
    for name in filter(str.isupper, rememora.__all__):
        granted = msgspec.structs.asdict(getattr(rememora, name))
        yield [f"`{name}`", ", ".join(f"`{right}`" for right, has in granted.items() if has) or "no right"]


def _link(kind: type) -> str:
    place = "python.md" if kind in handles() else TYPES
    return f"[`{kind.__name__}`]({ON_PAGES.get(kind.__name__, f'{place}#{kind.__name__.lower()}')})"


def _links(kinds: list[type]) -> str:
    known = [kind for kind in kinds if kind in types() or kind in handles() or kind.__name__ in ON_PAGES]
    return ", ".join(_link(kind) for kind in dict.fromkeys(known))


def _prose(item: Any) -> str:
    return inspect.cleandoc(item.__doc__ or "")
