"""`rememora analytics`: how well the gate does, as tables with bars, as JSON, or as a picture."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from rememora.cli.opened import ACTING, Json, Url, console, print_json, run
from rememora.cli.tables import laid_out, plain
from rememora.domain.quality import GateQuality

BAR = 20
PICTURE_COLUMNS = 110
EVERYBODY = "all tenants"
Rows = tuple[Sequence[str], Sequence[Sequence[object]]]


def analytics(
    tenant: Annotated[str | None, typer.Option(help="Tenant; by default all tenants together, then each.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw a chart into this SVG file.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Report how the gate decides. Also what is known by category, and the correction rate by week."""
    if plot is not None and plot.suffix != ".svg":
        raise typer.BadParameter("must end in .svg", param_hint="--plot")
    accounts = run(url, lambda rememora: rememora.operator(acting=ACTING).analytics(tenant=tenant))
    if plot is not None:
        _draw(accounts, plot)
    if as_json:
        print_json(accounts)
    elif plot is None:
        for account in accounts:
            print(_shown(account, width=shutil.get_terminal_size().columns), end="\n\n")
    else:
        console.print(f"Chart written to {plot}.", markup=False, highlight=False)


def _draw(accounts: list[GateQuality], file: Path) -> None:
    canvas = Console(record=True, file=StringIO(), width=PICTURE_COLUMNS)
    for account in accounts:
        canvas.print(_shown(account, width=PICTURE_COLUMNS), markup=False, highlight=False)
    canvas.save_svg(str(file), title="rememora analytics")


def _shown(account: GateQuality, *, width: int) -> str:
    name = EVERYBODY if account.tenant is None else account.tenant
    shares = (
        f"saved {account.saved_share:.1%}, rejected {account.rejected_share:.1%}, "
        f"asked {account.asked_share:.1%}, quarantined {account.quarantined_share:.1%}"
    )
    parts = [
        f"{plain(name)}: {account.attempts} attempts",
        shares,
        *_titled("Verdicts of the gate", _verdicts(account), width),
        *_titled("Memories by category", _categories(account), width),
        *_titled("Week by week", _weeks(account), width),
    ]
    return "\n".join(parts)


def _titled(title: str, table: Rows, width: int) -> list[str]:
    heads, rows = table
    return ["", title, laid_out(heads, rows, width=width)]


def _verdicts(account: GateQuality) -> Rows:
    rows = [
        (verdict.verdict, verdict.reason, verdict.count, f"{verdict.share:.1%}", bar(verdict.share))
        for verdict in account.verdicts
    ]
    return ("verdict", "reason", "times", "share", ""), rows


def _categories(account: GateQuality) -> Rows:
    most = max((category.active for category in account.categories), default=0) or 1
    rows = [
        (category.category, category.active, category.deprecated, category.deleted, bar(category.active / most))
        for category in account.categories
    ]
    return ("category", "active", "deprecated", "deleted", ""), rows


def _weeks(account: GateQuality) -> Rows:
    rows = [
        (week.week, week.attempts, week.rejected, week.kept, week.corrections, f"{week.correction_rate:.1%}",
         bar(week.correction_rate))
        for week in account.weeks
    ]  # fmt: skip
    return ("week from", "attempts", "rejected", "kept", "corrected", "rate", ""), rows


def bar(share: float) -> str:
    """Return a bar as long as its share of the whole."""
    return "█" * round(share * BAR)
