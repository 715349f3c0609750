"""Writes `docs/benchmarks.md`, its sibling and its plots from `bench/results/*.json` (`make benchmarks`).

No figure is typed here: a table shows a JSON file, with the command, date, hardware, versions and load that stand
in it. A run on a loaded machine says so, and a file from before runs were framed says what it does not know.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.bench_plots import bars, curves

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
DOCS = ROOT / "docs"
PLOTS = DOCS / "images" / "benchmarks"
Figures = Mapping[str, Any]
Lines = Iterator[str]
LANGUAGES = ("en", "pt")
WORDS = {
    "title": ("Benchmarks", "Medições"),
    "other": ("[Leia em português](benchmarks.pt-BR.md)", "[Read in English](benchmarks.md)"),
    "note": ("<!-- Written by `make benchmarks` from bench/results. -->",) * 2,
    "intro": (
        "Each table is one file of `bench/results`, written by the command above it; `make bench` runs them all. "
        "Figures of one table compare with each other; times of different tables do not: machines and loads "
        "differ. "
        "LoCoMo and memoria_pt_dev were in view while the ranking was built.",
        "Cada tabela é um arquivo de `bench/results`, escrito pelo comando acima dela; `make bench` executa "
        "todos. Números de uma tabela se comparam entre si; tempos de tabelas diferentes, não: máquinas e cargas "
        "diferem. "
        "O LoCoMo e o memoria_pt_dev estavam à vista enquanto a ordenação era feita.",
    ),
    "loaded": (
        "**The machine was loaded** (load {start} on {cores} cores at the start): "
        "times compare within this run alone, and it should be repeated.",
        "**A máquina estava carregada** (carga {start} em {cores} núcleos no início): "
        "tempos só se comparam dentro desta execução, que deve ser repetida.",
    ),
    "calm": ("load {start} on {cores} cores at the start", "carga {start} em {cores} núcleos no início"),
    "unframed": (
        "Recorded before runs noted their date, versions and load; known: {known}.",
        "Registrado antes de as execuções anotarem data, versões e carga; sabe-se: {known}.",
    ),
    "nothing": ("nothing", "nada"),
    "by turn": ("by turn", "por turno"),
    "by session": ("by session", "por sessão"),
    "budget": ("budget", "limite"),
    "sessions": (
        "A history of memoria_pt has 8 sessions: by session, @10 and @20 tell only whether a way ranks them all.",
        "Um histórico do memoria_pt tem 8 sessões: por sessão, @10 e @20 só dizem se um modo ordena todas.",
    ),
    "floor": (
        "Every way ranks all turns, without a floor. The product leaves out hits under its floor "
        "(`recall.floor`), as do the tables of ablations and of the front door.",
        "Todo modo ordena todos os turnos, sem piso. O produto deixa de fora resultados abaixo do seu piso "
        "(`recall.floor`), como as tabelas de ablações e da porta da frente.",
    ),
    "questions": ("questions", "perguntas"),
    "evidence": ("evidence in the pack, %", "evidência no pacote, %"),
    "tokens": ("tokens used", "tokens usados"),
    "bm25": ("BM25 passages, %", "passagens por BM25, %"),
    "full": ("tokens of the full history", "tokens do histórico completo"),
    "off": ("ingredient off", "ingrediente desligado"),
    "not run": ("Not run", "Não executado"),
    "figure": ("figure", "número"),
    "value": ("value", "valor"),
}


class Section(NamedTuple):
    """A heading in both languages, the file it shows, and how."""

    titles: tuple[str, str]
    file: str
    show: Callable[[Figures, int], Lines]


def word(name: str, tongue: int, **given: object) -> str:
    """A phrase of the page in one of its languages."""
    return WORDS[name][tongue].format(**given) if given else WORDS[name][tongue]


def cell(value: object) -> str:
    """A figure as the table shows it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Lines:
    """A Markdown table, figures to the right."""
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'--:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""


def grid(rows: Mapping[str, Mapping[str, object]]) -> Lines:
    """A table of named rows, whose columns are those that any of them has."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    yield from table(
        ["", *columns], [[name, *(row.get(each, "") for each in columns)] for name, row in rows.items()]
    )


def about(figures: Figures, tongue: int) -> Lines:
    """The frame of a run, or that there is none."""
    run = figures.get("run")
    if run is None:
        known = [str(figures[name]) for name in ("command", "machine", "date", "hardware") if name in figures]
        said = "; ".join(f"`{each}`" for each in known) or word("nothing", tongue)
        yield word("unframed", tongue, known=said)
    else:
        load = {"start": run["load"]["start"], "cores": run["hardware"]["cores"]}
        versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
        code = f" `{run['commit']}`," if "commit" in run else ""
        yield f"`{run['command']}`, {run['date']},{code} {run['hardware']['processor']}, {versions}; " + (
            f"{word('calm', tongue, **load)}."
        )
        if run["loaded"]:
            yield ""
            yield word("loaded", tongue, **load)
    yield ""


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
    for name, found in figures.items():
        if name != "run":
            yield f"### {name}: append, recall\n"
            yield from grid(found["quality"])


def ablations(figures: Figures, tongue: int) -> Lines:
    """The ranking with each ingredient off."""
    rows = figures["ablations"]
    columns = list(next(iter(rows.values())))
    yield from table([word("off", tongue), *columns], [[name, *row.values()] for name, row in rows.items()])


def peers(figures: Figures, tongue: int) -> Lines:
    """Every peer on the same vectors, and those that did not run."""
    for name, found in figures.items():
        if name != "run":
            yield f"### {name}: {word('questions', tongue)}\n"
            yield from grid(found["rows"])
            for each in found["missing"]:
                yield f"- {word('not run', tongue)}: {each}"
            yield ""


def spent(figures: Figures, _: int) -> Lines:
    """Rows of CPU and wall time by peer."""
    for name, row in figures["rows"].items():
        yield f"### {name}\n"
        yield from grid(row)


def plain(figures: Figures, tongue: int) -> Lines:
    """Every figure on a line of its own."""
    flat = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    yield from table([word("figure", tongue), word("value", tongue)], list(flat.items()))


SECTIONS = (
    Section(("Quality", "Qualidade"), "quality", quality),
    Section(("Tokens", "Tokens"), "tokens", tokens),
    Section(("Cost of a pack", "Custo de um pacote"), "context", cost),
    Section(("Through the front door", "Pela porta da frente"), "recall_product", front_door),
    Section(("Ablations", "Ablações"), "ablations", ablations),
    Section(("Peers", "Concorrentes"), "peers", peers),
    Section(("History", "História"), "history", spent),
    Section(("Cold start", "Início a frio"), "recall_cold", spent),
    Section(("A turn", "Um turno"), "reply", spent),
    Section(("Engines", "Motores"), "engines", spent),
    Section(("Load", "Carga"), "load", plain),
)


def read(name: str) -> Figures:
    """The figures of a file."""
    found: Figures = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def page(tongue: int) -> str:
    """The whole page in one language."""
    lines = [f"# {word('title', tongue)}\n", f"{word('other', tongue)}\n", f"{word('note', tongue)}\n"]
    lines.append(f"{word('intro', tongue)}\n")
    for titles, file, show in SECTIONS:
        figures = read(file)
        lines.append(f"## {titles[tongue]}\n")
        lines += about(figures, tongue)
        lines += show(figures, tongue)
    return "\n".join(lines).rstrip() + "\n"


def plots() -> dict[str, str]:
    """Each plot by its file name."""
    found = read("quality")["tables"]
    shown = {name: {way: row["R@10"] for way, row in levels["turn"].items()} for name, levels in found.items()}
    lines: dict[str, dict[int, float]] = {}
    for name, budgets in read("tokens")["evidence"].items():
        lines[f"{name}: Rememora"] = {int(budget): row["evidence"] for budget, row in budgets.items()}
        lines[f"{name}: BM25"] = {int(budget): row["bm25"] for budget, row in budgets.items()}
    return {"quality.svg": bars("R@10, %", shown), "tokens.svg": curves("%", lines)}


def written() -> dict[Path, str]:
    """Every file of the report with its content."""
    pages = {DOCS / "benchmarks.md": page(0), DOCS / "benchmarks.pt-BR.md": page(1)}
    return {**pages, **{PLOTS / name: text for name, text in plots().items()}}


if __name__ == "__main__":
    PLOTS.mkdir(parents=True, exist_ok=True)
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
