"""Writes `docs/benchmarks.md`, its sibling and its plots from `bench/results/*.json` (`make benchmarks`).

No figure is typed here: a table shows a JSON file, with the command, date, hardware, versions and load that stand
in it. A run on a loaded machine says so, and a file from before runs were framed says what it does not know.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.bench_peers import asked, peers
from tools.bench_plots import bars, curves, growth, spans
from tools.bench_tables import Figures, Lines, about, grid, said_run, table
from tools.bench_words import word

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
DOCS = ROOT / "docs"
PLOTS = DOCS / "images" / "benchmarks"


class Section(NamedTuple):
    """A heading in both languages, the file it shows, and how."""

    titles: tuple[str, str]
    file: str
    show: Callable[[Figures, int], Lines]


def quality(figures: Figures, tongue: int) -> Lines:
    """Recall of every way of ranking, by turn and by session."""
    yield "![R@10](images/benchmarks/quality.svg)\n"
    yield f"{word('floor', tongue)} {word('sessions', tongue)}\n"
    for name, levels in figures["tables"].items():
        for level, rows in levels.items():
            yield f"### {name}, {word(f'by {level}', tongue)}\n"
            if level == "turn" and (note := figures.get("notes", {}).get(name)):
                yield f"{note}\n"
            yield from grid(rows)


def tokens(figures: Figures, tongue: int) -> Lines:
    """Evidence within a budget of tokens."""
    yield "![%](images/benchmarks/tokens.svg)\n"
    yield word("fitted", tongue) + "\n"
    head = [word(name, tongue) for name in ("questions", "budget", "evidence", "tokens", "bm25", "full")]
    rows = [
        [name, row["questions"], budget, row["evidence"], row["tokens"], row["bm25"], row["full_history_tokens"]]
        for name, budgets in figures["evidence"].items()
        for budget, row in budgets.items()
    ]
    yield from table(["", *head], rows)


def cost(figures: Figures, _: int) -> Lines:
    """Times of building a pack."""
    yield from grid(figures["speed"])


def front_door(figures: Figures, _: int) -> Lines:
    """Recall as an application meets it: appended, settled, asked; turns that are hidden cannot be found."""
    for name, figure in figures.items():
        if name != "run":
            yield f"### {name}: append, recall\n"
            yield from grid(figure["quality"])


def ranked(figures: Figures, tongue: int) -> Lines:
    """What ranking costs by the size of a history, what the embedder does, and what the floor leaves out."""
    yield word("ranked", tongue) + "\n"
    yield from grid(figures["cost"])
    yield from grid({"embedder": figures["embedder"]})
    yield from grid(figures["floor"])


def ablations(figures: Figures, tongue: int) -> Lines:
    """The ranking with each ingredient off."""
    rows = figures["ablations"]
    columns = list(next(iter(rows.values())))
    yield from table([word("off", tongue), *columns], [[name, *row.values()] for name, row in rows.items()])
    whole = rows["default"]
    lost = {
        name: [round(whole[column] - row[column], 1) for column in columns]
        for name, row in rows.items()
        if name not in NOT_INGREDIENTS
    }
    yield f"{word('worth', tongue)}\n"
    ranked = sorted(lost.items(), key=lambda item: -sum(item[1]))
    yield from table([word("off", tongue), *columns], [[name, *row] for name, row in ranked])


def answered(figures: Figures, tongue: int) -> Lines:
    """What each model says from each context, by set, each with its own run."""
    for file, said in figures["models"].items():
        yield from said_run(said["run"], tongue)
        ways = {way for rows in said["tables"].values() for way in rows}
        other = word("answered by cosine" if "cosine ranking" in ways else "answered by peers", tongue)
        about = {"model": file, "budget": said["budget"], "room": f"{said['room']:,}", "other": other}
        yield word("answered", tongue, **about) + "\n"
        for peer, why in said.get("missing", {}).items():
            yield f"- {word('not run', tongue)}: {peer}: {why}\n"
        yield from titled({f"{name}, {file}": table for name, table in said["tables"].items()})


def measured_far(figures: Figures, tongue: int) -> Lines:
    """LongMemEval, by turn and by session."""
    yield word("far", tongue) + "\n"
    yield from spent(figures, tongue)


def known(figures: Figures, tongue: int) -> Lines:
    """Tables of what is known after a dialogue, and of the answers of our pack and plain ones of its size."""
    yield from spent(figures, tongue)
    if "packs" in figures:
        yield word("known packs", tongue, budget=f"{figures['budget']:,}") + "\n"
        yield from titled(figures["packs"])


def evolved(figures: Figures, tongue: int) -> Lines:
    """What packs tell of knowledge that changed, by kind of question."""
    yield word("evolved", tongue) + "\n"
    yield from spent(figures, tongue)


def tenants(figures: Figures, tongue: int) -> Lines:
    """Ten million messages of very many tenants on one PostgreSQL."""
    yield word("tenants", tongue) + "\n"
    yield from spent(figures, tongue)


def endured(figures: Figures, tongue: int) -> Lines:
    """Every campaign with its count."""
    campaigns = figures["campaigns"]
    slices = [one for some in figures["slices"].values() for one in some.values()]
    kills = [row["tries"] for name, row in campaigns.items() if name.startswith("kill -9")]
    unnamed = sum("commit" not in one for one in slices)
    counts = {"kills": sum(kills), "kinds": len(kills), "slices": len(slices), "unnamed": unnamed}
    yield word("endured", tongue, **counts) + "\n"
    yield from grid(campaigns)


def lived(figures: Figures, tongue: int) -> Lines:
    """How memory and files grew, hour by hour, and what was found at the end."""
    yield "![](images/benchmarks/traffic.svg)\n"
    yield word("lived", tongue) + "\n"
    yield from table([word("figure", tongue), word("value", tongue)], list(figures["ends"].items()))
    yield from grid({hour: row for hour, row in figures["hours"].items() if int(hour) % 4 == 0 or hour == "1"})


def widened(figures: Figures, tongue: int) -> Lines:
    """The trial of a lexicon, which is not in the product."""
    yield word("widened", tongue) + "\n"
    yield from spent(figures, tongue)


def grown(figures: Figures, tongue: int) -> Lines:
    """How recall, memory and files grow with the messages of one user, and with users."""
    yield "![](images/benchmarks/growth.svg)\n"
    yield word("grown", tongue) + "\n"
    yield from grid({name: {item: row[item] for item in GROWN} for name, row in figures["sizes"].items()})


def spent(figures: Figures, tongue: int) -> Lines:
    """Rows of CPU and wall time by peer, and which aims are met."""
    yield from titled(figures["rows"])
    yield from aims(figures, tongue)


def titled(tables: Mapping[str, Any]) -> Lines:
    """Tables, each under its name."""
    for name, rows in tables.items():
        yield f"### {name}\n"
        yield from grid(rows)


def aims(figures: Figures, tongue: int) -> Lines:
    """Which aims are met; nothing if the run has none."""
    if lines := [
        f"- {aim}: {word('met' if met else 'missed', tongue)}" for aim, met in figures.get("aims", {}).items()
    ]:
        yield "\n".join(lines) + "\n"


def gate(figures: Figures, tongue: int) -> Lines:
    """How messages are judged: measures, aims, and what was expected beside what was said."""
    yield from plain(figures["figures"], tongue)
    yield from aims(figures, tongue)
    if "confusion" in figures:
        yield from grid(figures["confusion"])


def sent(figures: Figures, _: int) -> Lines:
    """A guarded send by the size of a mission, and whole missions by how many run at a time."""
    yield from grid(
        {
            f"send, {row['edges']} edges, {row['results_kb']} kB of results": {
                "send, CPU ms": row["send"]["cpu_ms"],
                "send, p50 ms": row["send"]["p50_ms"],
                "settle, CPU ms": row["settle"]["cpu_ms"],
                "decision, CPU ms": row["plan_cpu_ms"],
            }
            for row in figures["sends"]
        }
    )
    yield from grid({f"missions, {row['together']} at a time": row for row in figures["missions"]})


def pages(figures: Figures, _: int) -> Lines:
    """How long every page takes."""
    yield from grid(figures["pages"])


def crowded(figures: Figures, tongue: int) -> Lines:
    """A server of many people, each asked now and then."""
    yield word("crowded", tongue, users=figures["users"], each=figures["each"], rate=figures["rate"]) + "\n"
    yield from grid({"served": figures["served"], "disk": figures["disk"]})
    yield from grid(figures["memory"])
    yield from aims(figures, tongue)


def searched(figures: Figures, tongue: int) -> Lines:
    """One user's vectors, searched in several ways."""
    yield word("searched", tongue) + "\n"
    yield from titled(figures["sizes"])


def plain(figures: Figures, tongue: int) -> Lines:
    """Every figure on a line of its own."""
    flat = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    yield from table([word("figure", tongue), word("value", tongue)], list(flat.items()))


SECTIONS = (
    Section(("Quality", "Qualidade"), "quality", quality),
    Section(("LongMemEval-S", "LongMemEval-S"), "longmemeval", measured_far),
    Section(("Tokens", "Tokens"), "tokens", tokens),
    Section(("Cost of a pack", "Custo de um pacote"), "context", cost),
    Section(("Through the front door", "Pela porta da frente"), "recall_product", front_door),
    Section(("Ranking", "Ordenação"), "recall", ranked),
    Section(("Ablations", "Ablações"), "ablations", ablations),
    Section(("Widened by a lexicon", "Ampliado por um léxico"), "lexicon", widened),
    Section(("Knowledge", "Conhecimento"), "knowledge", known),
    Section(("What changes", "O que muda"), "evolving", evolved),
    Section(("The gate", "O gate"), "gate", gate),
    Section(("Taken back while speaking", "Retirado ao falar"), "repairs", spent),
    Section(("Names", "Nomes"), "names", spent),
    Section(("Answers of a local model", "Respostas de um modelo local"), "answers", answered),
    Section(("Peers", "Concorrentes"), "peers", peers),
    Section(("History", "História"), "history", spent),
    Section(("Cold start", "Início a frio"), "recall_cold", spent),
    Section(("Growth", "Crescimento"), "recall_growth", grown),
    Section(("A server of many", "Um servidor de muitos"), "recall_server", crowded),
    Section(("Vectors of one user", "Vetores de um usuário"), "recall_vectors", searched),
    Section(("A turn", "Um turno"), "reply", spent),
    Section(("Missions", "Missões"), "missions", sent),
    Section(("Engines", "Motores"), "engines", spent),
    Section(("Many tenants", "Muitos tenants"), "tenants", tenants),
    Section(("Connections", "Conexões"), "postgres_pool", spent),
    Section(("Hot windows", "Janelas quentes"), "redis_window", spent),
    Section(("Vectors in DuckDB", "Vetores no DuckDB"), "duckdb_vectors", spent),
    Section(("The proxy", "O proxy"), "proxy", spent),
    Section(("Pages", "Páginas"), "pages", pages),
    Section(("Load", "Carga"), "load", plain),
    Section(("Endurance", "Resistência"), "endurance", endured),
    Section(("A day of traffic", "Um dia de tráfego"), "traffic", lived),
)


RUN_BY_ROW = {"peers", "answers"}
"""Files whose tables came from several runs, each of which is told where it stands."""
GROWN = (
    "write and embed, CPU ms each",
    "first recall, s",
    "first recall, s, after a restart",
    "recall p50, CPU ms",
    "MB own",
    "MB mapped",
    "MB both",
    "MB on disk",
)
NOT_INGREDIENTS = ("default", "BM25 of single turns only")
GROWN_USER = "1 user of "


def read(name: str) -> Figures:
    """The figures of a file."""
    figures: Figures = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return figures


def page(tongue: int) -> str:
    """The whole page in one language."""
    lines = [f"# {word('title', tongue)}\n", f"{word('other', tongue)}\n", f"{word('note', tongue)}\n"]
    lines.append(f"{word('intro', tongue)}\n")
    for titles, file, show in SECTIONS:
        lines.append(f"## {titles[tongue]}\n")
        if not (RESULTS / f"{file}.json").exists():
            lines.append(f"{word('not run', tongue)}: `python bench/{file}.py`.\n")
            lines += [f"{word('far', tongue)}\n"] if file == "longmemeval" else []
            continue
        figures = read(file)
        lines += () if file in RUN_BY_ROW else about(figures, tongue)
        lines += show(figures, tongue)
    return "\n".join(lines).rstrip() + "\n"


def plots() -> dict[str, str]:
    """Each plot by its file name."""
    tables = read("quality")["tables"]
    shown = {name: {way: row["R@10"] for way, row in levels["turn"].items()} for name, levels in tables.items()}
    lines: dict[str, dict[int, float]] = {}
    for name, budgets in read("tokens")["evidence"].items():
        lines[f"{name}: Rememora"] = {int(budget): row["evidence"] for budget, row in budgets.items()}
        lines[f"{name}: BM25"] = {int(budget): row["bm25"] for budget, row in budgets.items()}
    return {
        "quality.svg": bars("R@10, %", shown),
        "tokens.svg": curves("%", lines),
        "growth.svg": grown_plot(),
        "peers.svg": growth("recall top 5, CPU ms", asked(read("peers"))),
        "traffic.svg": lived_plot(),
    }


def lived_plot() -> str:
    """A day of traffic: messages, memory and files over hours."""
    hours = read("traffic")["hours"]
    shown = ("messages", "MB own", "MB on disk")
    return spans("%", {name: {int(hour): row[name] for hour, row in hours.items()} for name in shown})


def grown_plot() -> str:
    """One user: time of a question, memory and files over messages."""
    sizes = {
        int(name.removeprefix(GROWN_USER).replace(",", "")): row
        for name, row in read("recall_growth")["sizes"].items()
        if name.startswith(GROWN_USER)
    }
    shown = ("recall p50, CPU ms", "first recall, s, after a restart", "MB both", "MB on disk")
    return growth("messages of one user", {name: {at: row[name] for at, row in sizes.items()} for name in shown})


def written() -> dict[Path, str]:
    """Every file of the report with its content."""
    pages = {DOCS / "benchmarks.md": page(0), DOCS / "benchmarks.pt-BR.md": page(1)}
    return {**pages, **{PLOTS / name: text for name, text in plots().items()}}


if __name__ == "__main__":
    PLOTS.mkdir(parents=True, exist_ok=True)
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
