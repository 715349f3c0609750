"""`rememora analytics`: how well the gate does, as tables with bars, as JSON, or as a picture."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table

from rememora.cli.opened import ACTING, Json, Url, console, print_json, run
from rememora.domain.quality import GateQuality

BAR = 24
PICTURE_COLUMNS = 110
EVERYBODY = "all tenants"


def analytics(
    tenant: Annotated[str | None, typer.Option(help="One tenant; without it all of them, then each.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw it into this SVG file.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Show what the gate decided and why, what is known by category, and the correction rate by week."""
    if plot is not None and plot.suffix != ".svg":
        raise typer.BadParameter("must end in .svg", param_hint="--plot")
    accounts = run(url, lambda rememora: rememora.operator(acting=ACTING).analytics(tenant=tenant))
    if plot is not None:
        _draw(accounts, plot)
    if as_json:
        print_json(accounts)
    elif plot is None:
        for account in accounts:
            console.print(_shown(account))
    else:
        console.print(f"Drawn into {plot}.", markup=False, highlight=False)


def _draw(accounts: list[GateQuality], file: Path) -> None:
    canvas = Console(record=True, file=StringIO(), width=PICTURE_COLUMNS)
    for account in accounts:
        canvas.print(_shown(account))
    canvas.save_svg(str(file), title="rememora analytics")


def _shown(account: GateQuality) -> Group:
    name = EVERYBODY if account.tenant is None else account.tenant
    shares = (
        f"saved {account.saved_share:.1%}, rejected {account.rejected_share:.1%}, "
        f"asked {account.asked_share:.1%}, quarantined {account.quarantined_share:.1%}"
    )
    return Group(
        f"[bold]{escape(name)}[/]: {account.attempts} attempts; {shares}",
        _verdicts(account),
        _categories(account),
        _weeks(account),
    )


def _verdicts(account: GateQuality) -> Table:
    rows = (
        (each.verdict, each.reason, each.count, f"{each.share:.1%}", bar(each.share)) for each in account.verdicts
    )
    return _table("What the gate said", ("verdict", "reason", "times", "share", ""), rows)


def _categories(account: GateQuality) -> Table:
    most = max((each.active for each in account.categories), default=0) or 1
    rows = (
        (each.category, each.active, each.deprecated, each.deleted, bar(each.active / most))
        for each in account.categories
    )
    return _table("What is known", ("category", "active", "deprecated", "deleted", ""), rows)


def _weeks(account: GateQuality) -> Table:
    rows = (
        (each.week, each.attempts, each.rejected, each.kept, each.corrections, f"{each.correction_rate:.1%}",
         bar(each.correction_rate))
        for each in account.weeks
    )  # fmt: skip
    heads = ("week from", "attempts", "rejected", "kept", "corrections", "correction rate", "")
    return _table("Week by week", heads, rows)


def bar(share: float) -> str:
    """A bar as long as its share of the whole."""
    return "█" * round(share * BAR)


def _table(title: str, heads: Iterable[str], rows: Iterable[tuple[object, ...]]) -> Table:
    table = Table(*heads, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(escape(str(cell)) for cell in row))
    return table
