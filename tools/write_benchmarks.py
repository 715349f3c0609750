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

from tools.bench_plots import bars, curves, growth, spans

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
    "fitted": (
        "The curve of worth was fitted on memoria_pt_dev and on LoCoMo without the conversations of `not fitted "
        "on`; the least worth, the hits looked at and the length of excerpts were chosen with all of both sets in "
        "view. BM25 passages have all of the budget for themselves, each with its date and speaker.",
        "A curva de valor foi ajustada no memoria_pt_dev e no LoCoMo sem as conversas de `not fitted on`; o menor "
        "valor, os resultados vistos e o tamanho dos trechos foram escolhidos com os dois conjuntos à vista. As "
        "passagens por BM25 têm todo o limite para si, cada uma com data e quem falou.",
    ),
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
    "peers": (
        "Every vector was made beforehand and is handed in, to us as to the peers: CPU is each memory's own, and "
        "that of a server is not in it. A write is one turn; `Rememora` makes episodes, summaries and the index "
        "of it, counted; `Rememora, reading` also reads it for facts, wishes and corrections, which no peer does "
        "here: mem0 runs with `infer=False`, Hindsight without a model, and Memori is handed its facts. The "
        "limits keep one table and judge nothing. Where `turns` or `users` is less than the heading says, the "
        "time for the bulk was over; a peer that is named as not run would have taken longer by its own rate. `in "
        "500 tokens`: evidence in the best turns that fit, each with its date and speaker. `last 10` and deleting "
        "a conversation are empty where a store has no conversations.",
        "Todo vetor foi feito antes e é entregue, a nós e aos concorrentes: a CPU é de cada memória, e a de um "
        "servidor não está nela. Uma gravação é um turno; `Rememora` faz dele episódios, resumos e o índice, "
        "contados; `Rememora, reading` também o lê à procura de fatos, desejos e correções, o que nenhum "
        "concorrente faz aqui: o mem0 roda com `infer=False`, o Hindsight sem modelo, e o Memori recebe os fatos "
        "prontos. Os limites guardam uma tabela e não julgam nada. Onde `turns` ou `users` é menos do que diz o "
        "título, acabou o tempo da carga; um concorrente citado como não executado teria levado mais, pela sua "
        "própria taxa. `in 500 tokens`: evidência nos melhores turnos que cabem, cada um com data e quem falou. "
        "`last 10` e apagar uma conversa ficam vazios onde não há conversas.",
    ),
    "answered": (
        "The same prompt for every context, {budget} tokens of context, `{model}` with room for {room} on this "
        "machine. `contains`: the expected text stands in the answer; `words`: share of the expected words that "
        "do. A small model: the rows compare with each other, and no row says what a large one would answer.",
        "A mesma instrução para todo contexto, {budget} tokens de contexto, `{model}` com lugar para {room} nesta "
        "máquina. `contains`: o texto esperado está na resposta; `words`: parte das palavras esperadas que está. "
        "Um modelo pequeno: as linhas se comparam entre si, e nenhuma diz o que um grande responderia.",
    ),
    "tenants": (
        "PostgreSQL, 8 partitions, one process, vectors of 64 numbers. `tenants told` were appended to through "
        "the product, which gives the rate; the others are copies of their rows, made by the server.",
        "PostgreSQL, 8 partições, um processo, vetores de 64 números. A `tenants told` se escreveu pelo produto, "
        "e daí a taxa; os outros são cópias das suas linhas, feitas pelo servidor.",
    ),
    "endured": (
        "Slices of the campaigns of [endurance](endurance.md), each with a seed of its own; `make campaigns` goes "
        "on with those that are missing.",
        "Fatias das campanhas de [resistência](endurance.pt-BR.md), cada uma com a sua semente; `make campaigns` "
        "continua com as que faltam.",
    ),
    "lived": (
        "24 hours of a clock that runs fast: forty people talk, ask, correct, delete conversations, are erased. "
        "Each curve of the picture is a share of its own highest value.",
        "24 horas de um relógio que corre: quarenta pessoas conversam, perguntam, corrigem, apagam conversas e "
        "são apagadas. Cada curva da figura é uma parte do seu próprio maior valor.",
    ),
    "widened": (
        "Tried and left out: words of a question widened by the nearest words of the history, by the vectors of "
        "single words. No threshold is better at 5 and at 20 than the question as it was asked.",
        "Tentado e deixado de fora: as palavras de uma pergunta ampliadas pelas mais próximas do histórico, pelos "
        "vetores de palavras isoladas. Nenhum limiar é melhor em 5 e em 20 do que a pergunta como foi feita.",
    ),
    "ranked": (
        "The ranking alone, without the embedder: one thread, the best of some rounds. The floor is the least "
        "score of a hit (`recall.floor`): `hits` are those among ten, `hits of another user` those for "
        "questions that somebody else's history answers.",
        "Só a ordenação, sem o modelo de vetores: uma thread, a melhor de algumas rodadas. O piso é a menor nota "
        "de um resultado (`recall.floor`): `hits` são os que vêm entre dez, `hits of another user` os de "
        "perguntas que o histórico de outra pessoa responde.",
    ),
    "grown": (
        "One store, one user of up to a million messages, or a thousand users. `first recall` makes the layout of "
        "a user; after a restart it is found saved where the user is large. `MB own` is the memory "
        "of the process itself, `MB mapped` pages of files that the system takes back when it needs them. "
        "Both axes of the picture are logarithmic.",
        "Um armazém, um usuário de até um milhão de mensagens, ou mil usuários. `first recall` faz o índice de um "
        "usuário; depois de um reinício ele está salvo, onde o usuário é grande. `MB own` é a memória do "
        "próprio processo, `MB mapped` páginas de arquivos que o sistema retoma quando precisa. "
        "Os dois eixos da figura são logarítmicos.",
    ),
    "questions": ("questions", "perguntas"),
    "evidence": ("evidence in the pack, %", "evidência no pacote, %"),
    "tokens": ("tokens used", "tokens usados"),
    "bm25": ("BM25 passages, %", "passagens por BM25, %"),
    "full": ("tokens of the full history", "tokens do histórico completo"),
    "off": ("ingredient off", "ingrediente desligado"),
    "worth": (
        "Worth of each ingredient: points lost without it, those of all columns together from most to "
        "least. One under half a point everywhere does not pay its way.",
        "Quanto vale cada ingrediente: pontos que se perdem sem ele, os de todas as colunas juntas do maior ao "
        "menor. O que fica abaixo de meio ponto em todas não se paga.",
    ),
    "not run": ("Not run", "Não executado"),
    "crowded": (
        "{users:,} people of {each} messages; questions, each to a random one, as {rate} come a second. Latencies "
        "are of a process that has a core to itself, by the CPU that each question took. Then, 1,000 people of "
        "100 messages: megabytes of the process's own memory, and how many of them are still in memory.",
        "{users:,} pessoas de {each} mensagens; perguntas, cada uma a uma pessoa ao acaso, {rate} por segundo. As "
        "latências são de um processo com um núcleo só seu, pela CPU de cada pergunta. Depois, 1.000 pessoas de "
        "100 mensagens: megabytes da memória do próprio processo, e quantas delas ainda estão na memória.",
    ),
    "searched": (
        "Vectors of 512 numbers, the nearest 500 asked for; `found` is the part of the true 20 nearest among "
        "them.",
        "Vetores de 512 números, pedidos os 500 mais próximos; `found` é a parte dos 20 realmente mais próximos "
        "entre eles.",
    ),
    "met": ("met", "alcançado"),
    "missed": ("missed", "não alcançado"),
    "figure": ("figure", "número"),
    "value": ("value", "valor"),
}


PEER_TITLES = {
    "LoCoMo": ("LoCoMo: questions", "LoCoMo: perguntas"),
    "memoria_pt": ("memoria_pt: questions", "memoria_pt: perguntas"),
    "installed": ("Installed", "Instalado"),
    "1,000 turns": ("One person with 1,000 turns", "Uma pessoa com 1.000 turnos"),
    "10,000 turns": ("One person with 10,000 turns", "Uma pessoa com 10.000 turnos"),
    "100,000 turns": ("One person with 100,000 turns", "Uma pessoa com 100.000 turnos"),
    "1,000 users": (
        "1,000 people of 100 turns, each asked for the first time",
        "1.000 pessoas de 100 turnos, cada uma perguntada pela primeira vez",
    ),
    "200 users": (
        "200 people of 100 turns, each asked for the first time",
        "200 pessoas de 100 turnos, cada uma perguntada pela primeira vez",
    ),
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
        ["", *columns], [[name, *(row.get(column, "") for column in columns)] for name, row in rows.items()]
    )


def about(figures: Figures, tongue: int) -> Lines:
    """The frame of a run, or that there is none."""
    run = figures.get("run")
    if run is None:
        known = [str(figures[name]) for name in ("command", "machine", "date", "hardware") if name in figures]
        said = "; ".join(f"`{item}`" for item in known) or word("nothing", tongue)
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


def peers(figures: Figures, tongue: int) -> Lines:
    """Every peer on the same vectors, and those that did not run."""
    yield word("peers", tongue) + "\n"
    if "versions" in figures:
        lines = [
            f"{name} {number}" for version in figures["versions"].values() for name, number in version.items()
        ]
        yield ", ".join(dict.fromkeys(lines)) + ".\n"
    for name, figure in figures.items():
        if name not in ("run", "versions"):
            yield f"### {PEER_TITLES[name][tongue] if name in PEER_TITLES else name}\n"
            yield from grid(figure["rows"])
            for item in figure["missing"]:
                yield f"- {word('not run', tongue)}: {item}"
            yield ""


def answered(figures: Figures, tongue: int) -> Lines:
    """What each model says from each context, by set."""
    for file, said in figures["models"].items():
        yield word("answered", tongue, model=file, budget=said["budget"], room=f"{said['room']:,}") + "\n"
        yield from titled({f"{name}, {file}": table for name, table in said["tables"].items()})


def tenants(figures: Figures, tongue: int) -> Lines:
    """Ten million messages of very many tenants on one PostgreSQL."""
    yield word("tenants", tongue) + "\n"
    yield from spent(figures, tongue)


def endured(figures: Figures, tongue: int) -> Lines:
    """Every campaign with its count."""
    yield word("endured", tongue) + "\n"
    yield from grid(figures["campaigns"])


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
    Section(("Tokens", "Tokens"), "tokens", tokens),
    Section(("Cost of a pack", "Custo de um pacote"), "context", cost),
    Section(("Through the front door", "Pela porta da frente"), "recall_product", front_door),
    Section(("Ranking", "Ordenação"), "recall", ranked),
    Section(("Ablations", "Ablações"), "ablations", ablations),
    Section(("Widened by a lexicon", "Ampliado por um léxico"), "lexicon", widened),
    Section(("Knowledge", "Conhecimento"), "knowledge", spent),
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
            continue
        figures = read(file)
        lines += about(figures, tongue)
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
    } | {"traffic.svg": lived_plot()}


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
