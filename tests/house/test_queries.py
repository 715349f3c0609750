"""Every named query stays within its tenant, and every engine knows every name."""

from __future__ import annotations

import ast
import re
import sqlite3

import pytest
from tests.house.source import PACKAGE, modules
from tests.house.sql import unbound
from tests.looped import looped
from tools.write_schema import OWN

from rememora.adapters.sql.queries import NamedQuery, moving, own, queries
from rememora.adapters.sql.schema import snapshot
from rememora.adapters.sql.tables import tables

OPERATORS = {
    "account",
    "accounts_after",
    "active_missions_everywhere",
    "add_account",
    "add_embedding_run",
    "add_subscriber",
    "advance_cursor",
    "advance_transfer",
    "audit_tenants",
    "begin_transfer",
    "change_account",
    "change_embedding_run",
    "claim_lease",
    "claim_subscriber",
    "count_tasks",
    "drop_embedding_run",
    "drop_other_features",
    "due_chores",
    "due_events",
    "due_missions",
    "due_tasks",
    "due_unread",
    "embedding_runs",
    "end_transfer",
    "find_key",
    "find_login_invitation",
    "find_login_session",
    "find_logins",
    "first_chain",
    "forget_answers",
    "forget_login_invitations",
    "forget_login_sessions",
    "forget_login_tries",
    "index_lag",
    "indexed_items",
    "note_features",
    "note_missed",
    "old_attempts",
    "people_held",
    "outlived_documents",
    "outlived_events",
    "park_event",
    "parked_streams",
    "refused_items",
    "release_lease",
    "release_subscriber",
    "renew_subscriber",
    "restart_transfer",
    "rows_without_parents",
    "revoke_lease",
    "scopes_above",
    "scopes_featureless",
    "scopes_of_model",
    "scopes_settled",
    "scopes_waiting",
    "see_subscriber",
    "set_cursor",
    "settled_items",
    "start_from_now",
    "subscriber_standing",
    "subscribers",
    "tenants_without_account",
    "touch_key",
    "transfer_progress",
    "unheard_count",
    "unjudged_users",
    "unheard_tenants",
    "unpark_after",
    "unpark_event",
    "untold_episodes",
    "used_now",
    "wait_again",
    "wait_for_run",
}
"""The only queries that may look across tenants; one more is one more line here, seen in review."""

MOVES = ("first", "after", "put", "count", "clear")

FOLDER = PACKAGE / "adapters" / "sql" / "queries"
ENGINES = ["sqlite", *sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and path.name[0] != "_")]
ALL = {f"{engine}:{name}": query for engine in ENGINES for name, query in queries(engine).items()}
SCOPED = {name: query for name, query in ALL.items() if not query.operator}


@looped("query", SCOPED.values(), ids=SCOPED)
def test_a_query_stays_within_its_tenant(query: NamedQuery) -> None:
    """Each table it names is held to `:tenant`, directly or through another table."""
    assert [] == unbound(query.sql)


@looped("query", SCOPED.values(), ids=SCOPED)
def test_without_its_predicate_it_would_be_seen(query: NamedQuery) -> None:
    """Each place where a query holds to its tenant is needed: taken away or weakened, the check above fails."""
    predicate = re.compile(r"(\w+\.)?tenant_id\s*=\s*(:tenant|\w+\.tenant_id)|(?<=\()tenant_id(?=,)|:tenant\b")
    places = [match.span() for match in predicate.finditer(query.sql)]

    assert places
    for start, end in places:
        assert unbound(f"{query.sql[:start]}1 = 1{query.sql[end:]}")


@looped(
    "sql",
    [
        "SELECT * FROM a WHERE user_id = :user",
        "SELECT * FROM a WHERE tenant_id = :tenant OR 1 = 1",
        "SELECT * FROM a WHERE (tenant_id = :tenant OR 1 = 1)",
        "SELECT * FROM a WHERE tenant_id <> :tenant",
        "SELECT * FROM a WHERE tenant_id = :tenants",
        "SELECT * FROM a WHERE note = 'tenant_id = :tenant'",
        "SELECT * FROM a x JOIN b y ON y.id = x.id WHERE x.tenant_id = :tenant",
        "SELECT * FROM a x JOIN b y ON y.tenant_id = x.tenant_id",
        "SELECT * FROM a WHERE tenant_id = :tenant AND id IN (SELECT id FROM b)",
        "DELETE FROM a WHERE tenant_id = :tenant AND id IN (SELECT id FROM a)",
        "SELECT * FROM a WHERE tenant_id = :tenant UNION SELECT * FROM b",
        "SELECT * FROM a x JOIN LATERAL (SELECT * FROM b) y ON TRUE WHERE x.tenant_id = :tenant",
        "DELETE FROM a",
        "UPDATE a SET tenant_id = :user",
        "INSERT INTO a (id, tenant_id) VALUES (:tenant, :id)",
        "INSERT INTO a (tenant_id, id) VALUES (:tenant, :id) ON CONFLICT (id) DO UPDATE SET id = :id",
        "INSERT INTO a (tenant_id, id) SELECT :tenant, id FROM b WHERE id = :id",
        "INSERT INTO a (tenant_id, id) SELECT tenant_id, id FROM b WHERE b.id = :id",
        "INSERT INTO a (tenant_id, id) SELECT :other, id FROM b WHERE tenant_id = :tenant",
        "INSERT INTO a (tenant_id) SELECT :tenant FROM b WHERE tenant_id = :tenant ON CONFLICT (id) DO UPDATE",
        "INSERT INTO a (tenant_id, id) VALUES (:tenant, :id) RETURNING (SELECT id FROM b)",
        "INSERT INTO a (tenant_id, id) SELECT :tenant, b.id FROM json_each(:rows) JOIN b ON b.id = value",
    ],
)
def test_a_query_that_strays_is_seen(sql: str) -> None:
    """The reader of queries knows these ways out of a tenant."""
    assert unbound(sql)


@pytest.mark.parametrize("engine", ENGINES)
def test_operators_are_listed(engine: str) -> None:
    """A query that looks across tenants says so, and stands on the list."""
    assert (
        set() == {name for name, query in queries(engine).items() if query.operator} - OPERATORS - moving().keys()
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_every_query_is_described(engine: str) -> None:
    """Each has a sentence above it, and is one statement."""
    result = queries(engine)

    assert [] == [name for name, query in result.items() if not query.about.endswith(".")]
    assert [] == [name for name, query in result.items() if ";" in query.sql]


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_resolve_the_same_names(engine: str) -> None:
    """An engine overrides a query by its name and adds none of its own."""
    assert queries("sqlite").keys() == queries(engine).keys()


def test_every_name_in_the_code_is_a_query_and_each_is_used() -> None:
    """Repositories ask for queries that exist, and no query is left over."""
    calls = [
        node
        for path, tree in modules().items()
        if path.startswith("adapters/sql/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[a-z_]+", node.value)
    ]
    values = {
        call.args[0].value
        for path, tree in modules().items()
        if path.startswith("adapters/sql/")
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("run", "send", "many", "one", "all", "_find", "_number")
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }

    assert set() == values - queries("sqlite").keys()
    assert set() == queries("sqlite").keys() - {node.value for node in calls} - moving().keys()


@looped("name", own("postgres"))
def test_what_only_one_engine_is_asked_is_held_to_the_same(name: str) -> None:
    """Described, one statement, used, and within its tenant unless it says that it looks at the whole server."""
    query = own("postgres")[name]
    used = {
        node.value
        for path, tree in modules().items()
        if path.startswith("adapters/sql/postgres/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }

    assert query.about.endswith(".")
    assert ";" not in query.sql
    assert name in used
    assert query.operator or unbound(query.sql) == []
    assert query.operator or unbound(query.sql.replace("tenant_id = :tenant", "1 = 1", 1))
    assert name not in queries("postgres")


def test_sql_stands_in_files() -> None:
    """No statement is written in the code that runs PostgreSQL, but the words that begin and end a transaction."""
    verbs = re.compile(
        r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|GRANT|REVOKE|VACUUM|LISTEN|NOTIFY|SHOW)\s[^.]*\Z"
    )
    written = [
        f"{path}: {node.value!r}"
        for path, tree in modules().items()
        if path.startswith("adapters/sql/postgres/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str | bytes)
        and verbs.match(node.value if isinstance(node.value, str) else node.value.decode())
    ]

    assert [] == written


def test_every_table_is_moved() -> None:
    """A transfer carries each table there is, with every column, page by page along its whole key."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(snapshot("sqlite"))
    named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    there: dict[str, tuple[set[str], list[str]]] = {}
    for (name,) in connection.execute(named).fetchall():
        rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
        key = [row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5]]
        there[name] = {row[1] for row in rows}, key
    connection.close()

    assert there.keys() - OWN == {table.name for table in tables()}
    assert {name: there[name] for name in there.keys() - OWN} == {
        table.name: (set(table.columns), list(table.key)) for table in tables()
    }
    assert {f"transfer_{act}_{table.name}" for table in tables() for act in MOVES} == moving().keys()
