"""The phrases of `docs/benchmarks.md` and of its sibling, in English and in Portuguese."""

from __future__ import annotations

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
    "loaded late": (
        "**Others kept the machine busy at the end** (load {end} on {cores} cores, of which {own:g} is this run's "
        "own): times compare within this run alone, and it should be repeated.",
        "**Outros ocupavam a máquina no fim** (carga {end} em {cores} núcleos, dos quais {own:g} é desta própria "
        "execução): tempos só se comparam dentro desta execução, que deve ser repetida.",
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
    "older": (
        "`make bench` runs another command now; its next run replaces this one.",
        "O `make bench` executa outro comando agora; sua próxima execução substitui esta.",
    ),
    "far": (
        "By the retrieval protocol of LongMemEval's authors. Its data is not in this repository and not on the "
        "machine that measured: with their `longmemeval_s.json` in a folder it is `python bench/longmemeval.py "
        "--data FOLDER`.",
        "Pelo protocolo de recuperação dos autores do LongMemEval. Os dados não estão neste repositório nem na "
        "máquina que mediu: com o `longmemeval_s.json` deles numa pasta, é `python bench/longmemeval.py --data "
        "PASTA`.",
    ),
    "evolved": (
        "Probes that a pack of 1,500 tokens answers, after knowledge has changed: ours, the newest messages, and "
        "the messages that BM25 finds. evolving_dev was in view while this was built. What earlier sets gave "
        "stands in the file under `earlier`.",
        "Perguntas que um pacote de 1.500 tokens responde depois que o conhecimento mudou: o nosso, as mensagens "
        "mais novas e as que o BM25 acha. O evolving_dev estava à vista durante a construção. O que conjuntos "
        "anteriores deram está no arquivo, em `earlier`.",
    ),
    "known packs": (
        "Questions answered from a pack of {budget} tokens: ours, the newest messages, and the messages that "
        "BM25 finds; `leaks`: what was to be forgotten, or never kept, and stands there. Where a dialogue "
        "fits into the pack (`whole dialogues`), the newest messages are all of it and lose nothing: these "
        "questions tell ours from a plain pack by what it leaks alone.",
        "Perguntas respondidas a partir de um pacote de {budget} tokens: o nosso, as mensagens mais novas e "
        "as que o BM25 acha; `leaks`: o que era para esquecer, ou nunca guardar, e está lá. Onde um diálogo "
        "cabe no pacote (`whole dialogues`), as mensagens mais novas são ele todo e nada perdem: estas "
        "perguntas só distinguem o nosso de um pacote simples pelo que ele vaza.",
    ),
    "peers": (
        "Every vector was made beforehand and is handed in, to us as to the peers: CPU is each memory's own, and "
        "that of a server is not in it. In the tables of what was installed and of cost, vectors are made by a "
        "hash of the text and mean nothing; those of LoCoMo and memoria_pt are by the default embedder. A write "
        "is one turn; `Rememora` makes episodes, summaries and the index "
        "of it, counted; `Rememora, reading` also reads it for facts, wishes and corrections, which no peer does "
        "here: mem0 runs with `infer=False`, Hindsight without a model, and Memori is handed its facts. The "
        "limits keep one table and judge nothing. Where `turns` or `users` is less than the heading says, the "
        "time for the bulk was over. Each table names the runs that its rows came from: rows of one run compare "
        "best. `in "
        "500 tokens`: evidence in the best turns that fit, each with its date and speaker. `last 10` and deleting "
        "a conversation are empty where a store has no conversations. Of a crowd, each person is asked one "
        "question, about a turn of theirs, until the time is over (`people asked`); `turn found among 5` is the "
        "share that got that turn.",
        "Todo vetor foi feito antes e é entregue, a nós e aos concorrentes: a CPU é de cada memória, e a de um "
        "servidor não está nela. Nas tabelas do que foi instalado e de custo, os vetores são feitos por um hash "
        "do texto e nada significam; os do LoCoMo e do memoria_pt são do modelo padrão. Uma gravação é um turno; "
        "`Rememora` faz dele episódios, resumos e o índice, "
        "contados; `Rememora, reading` também o lê à procura de fatos, desejos e correções, o que nenhum "
        "concorrente faz aqui: o mem0 roda com `infer=False`, o Hindsight sem modelo, e o Memori recebe os fatos "
        "prontos. Os limites guardam uma tabela e não julgam nada. Onde `turns` ou `users` é menos do que diz o "
        "título, acabou o tempo da carga. Cada tabela diz de que execuções vieram suas linhas: as de uma mesma "
        "execução se comparam melhor. `in 500 tokens`: evidência nos melhores turnos que cabem, cada um com data "
        "e quem falou. "
        "`last 10` e apagar uma conversa ficam vazios onde não há conversas. De uma multidão, cada pessoa recebe "
        "uma pergunta, sobre um turno seu, até acabar o tempo (`people asked`); `turn found among 5` é a parte "
        "que recebeu esse turno.",
    ),
    "found": (
        "By turn from the first 20 hits, by session from the first 100: a session is as good as its best "
        "turn, and the evidence is the sessions that its turns stand in. Within a budget, a row of a memory "
        "is its best turns that fit, each with its date and speaker; `Rememora, pack` is what "
        "`conversation.context` renders, judged by the whole text of each piece of evidence, and `used of` is "
        "how many tokens it takes.",
        "Por turno dos primeiros 20 resultados, por sessão dos primeiros 100: uma sessão vale tanto quanto o "
        "seu melhor turno, e a evidência são as sessões em que estão os seus turnos. Dentro de um limite, a "
        "linha de uma memória são os seus melhores turnos que cabem, cada um com data e quem falou; "
        "`Rememora, pack` é o que `conversation.context` escreve, julgado pelo texto inteiro de cada "
        "evidência, e `used of` é quantos tokens ele usa.",
    ),
    "in tokens": ("evidence within a budget of tokens", "evidência dentro de um limite de tokens"),
    "aims of speed": ("Aims of speed", "Metas de velocidade"),
    "aims": (
        "Computed from the tables above. A row compares with all rows of its table, also those of another run and "
        "of fewer turns; figures under load are those that say so.",
        "Calculadas das tabelas acima. Uma linha se compara com todas da sua tabela, também as de outra execução "
        "e de menos turnos; números sob carga são os que o dizem.",
    ),
    "first": (
        "First among durable ones: ours / the lowest of the others",
        "Primeiro entre os duráveis: nosso / o menor dos outros",
    ),
    "ten times": (
        "At least ten times cheaper than mem0 on a write and a question: its cost / ours",
        "Ao menos dez vezes mais barato que o mem0 numa gravação e numa pergunta: o custo dele / o nosso",
    ),
    "three times": (
        "At most three times the limit, one table of SQLite and numpy: our cost / its own",
        "No máximo três vezes o limite, uma tabela de SQLite e numpy: o nosso custo / o dele",
    ),
    "cold aim": (
        "Cold opening and first question with 10,000 turns within 200 ms",
        "Abertura a frio e primeira pergunta com 10.000 turnos em até 200 ms",
    ),
    "why missed": (
        "A write is missed because background work is counted: each turn is judged before it is stored, is put "
        "into the index with the features that ranking needs, and goes into episodes and summaries; every "
        "acknowledged turn is on the disk (`synchronous=FULL`). Which parts cost what, and which other designs "
        "were measured, is in [why recall is as it is](why/recall.md#what-a-message-costs). Opening a "
        "person of fewer than 2,000 items makes the index anew; a larger one's is saved. A question to a large "
        "person is missed against indexes that answer by cosine alone: ours weighs words, neighbours, speakers "
        "and dates of every turn. A deletion is missed because nothing of the text may be left in any file: "
        "entries, summaries, features and vectors are overwritten ([designs measured for bulk and "
        "delete](why/recall.md#designs-measured-for-bulk-and-delete)).",
        "Uma gravação não alcança a meta porque o trabalho de fundo conta: cada turno é julgado antes de ser "
        "guardado, entra no índice com os traços de que a ordenação precisa, e em episódios e resumos; todo turno "
        "confirmado está no disco (`synchronous=FULL`). Quanto custa cada parte, e que outros desenhos foram "
        "medidos, está em [por que a busca é assim](why/recall.md#what-a-message-costs) (em inglês). Abrir uma "
        "pessoa de menos de 2.000 itens refaz o índice, e o de uma maior está salvo. Uma pergunta "
        "a uma pessoa grande não a alcança contra índices que respondem só por cosseno: o nosso pesa palavras, "
        "vizinhos, quem fala e datas de todo turno. Um apagamento não a alcança porque nada do texto pode ficar "
        "em arquivo algum: entradas, resumos, traços e vetores são sobrescritos ([desenhos medidos para carga e "
        "apagamento](why/recall.md#designs-measured-for-bulk-and-delete), em inglês).",
    ),
    "answered": (
        "The same prompt for every context, {budget} tokens of context, `{model}` with room for {room} on this "
        "machine. `contains`: the expected text stands in the answer; `words`: share of the expected words that "
        "do. {other} "
        "A small model: the rows compare with each other, and no row says what a large one would answer.",
        "A mesma instrução para todo contexto, {budget} tokens de contexto, `{model}` com lugar para {room} nesta "
        "máquina. `contains`: o texto esperado está na resposta; `words`: parte das palavras esperadas que está. "
        "{other} "
        "Um modelo pequeno: as linhas se comparam entre si, e nenhuma diz o que um grande responderia.",
    ),
    "answered by cosine": (
        "`cosine ranking` orders turns by cosine alone, as the search of mem0 and LangGraph does.",
        "`cosine ranking` ordena os turnos só por cosseno, como a busca do mem0 e do LangGraph.",
    ),
    "answered by peers": (
        "A row of another memory is its best turns that fit, each with its date and speaker.",
        "A linha de outra memória são os seus melhores turnos que cabem, cada um com data e quem falou.",
    ),
    "tenants": (
        "PostgreSQL, 8 partitions, one process, vectors of 64 numbers. `tenants told` were appended to through "
        "the product, which gives the rate; the others are copies of their rows, made by the server.",
        "PostgreSQL, 8 partições, um processo, vetores de 64 números. A `tenants told` se escreveu pelo produto, "
        "e daí a taxa; os outros são cópias das suas linhas, feitas pelo servidor.",
    ),
    "endured": (
        "Slices of the campaigns of [endurance](endurance.md), each with a seed of its own; `make campaigns` goes "
        "on with those that are missing. The kills are {kills} over {kinds} kinds. Of {slices} slices {unnamed} "
        "were run before a slice noted the commit that it tried.",
        "Fatias das campanhas de [resistência](endurance.pt-BR.md), cada uma com a sua semente; `make campaigns` "
        "continua com as que faltam. As mortes são {kills} em {kinds} tipos. De {slices} fatias, {unnamed} foram "
        "executadas antes de uma fatia anotar o commit que tentou.",
    ),
    "lived": (
        "24 hours of a clock that runs fast: forty people talk, ask, correct, delete conversations, are erased. "
        "With `store.synchronous=normal`, an embedder of words, no reply and no server. "
        "CPU an act rises while the messages stay, since what is kept beside them grows (versions of memories, "
        "audit, events): an erasure writes the whole file anew and looks for the person's words in all of it, 49 "
        "ms in the first hour and 333 in the twentieth on a loaded machine, for one act in a hundred; questions "
        "and packs follow the turns of each person. "
        "Each curve of the picture is a share of its own highest value.",
        "24 horas de um relógio que corre: quarenta pessoas conversam, perguntam, corrigem, apagam conversas e "
        "são apagadas. Com `store.synchronous=normal`, um modelo de vetores por palavras, sem resposta e sem "
        "servidor. A CPU por ato sobe enquanto as mensagens ficam, porque cresce o que se guarda ao lado delas "
        "(versões de memórias, auditoria, eventos): um apagamento regrava o arquivo inteiro e procura nele "
        "todo as "
        "palavras da pessoa, 49 ms na primeira hora e 333 na vigésima, numa máquina carregada, em um ato de cada "
        "cem; perguntas e pacotes seguem os turnos de cada pessoa. Cada curva da figura é uma parte do seu "
        "próprio maior valor.",
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
        "least. One under half a point everywhere does not pay its way on these sets, and is removed unless it "
        "keeps a promise that they do not ask about. Three are kept: kin finds a word that nobody said by "
        "one that "
        "begins like it (`allergies`, `allergic`), recency puts the newer of two equal matches first and the "
        "newest "
        "where a question says `today` or `still`, and long turns stand for themselves whoever speaks beside "
        "them.",
        "Quanto vale cada ingrediente: pontos que se perdem sem ele, os de todas as colunas juntas do maior ao "
        "menor. O que fica abaixo de meio ponto em todas não se paga nestes conjuntos, e é retirado, a não "
        "ser que "
        "cumpra uma promessa sobre a qual eles não perguntam. Três ficam: parentesco acha uma palavra que ninguém "
        "disse por outra que começa igual (`alergias`, `alérgico`), recência põe primeiro o mais novo de dois "
        "resultados iguais, e o mais novo de todos onde a pergunta diz `hoje` ou `ainda`, e turnos longos "
        "valem por "
        "si, quem quer que fale ao lado.",
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


def word(name: str, tongue: int, **given: object) -> str:
    """A phrase of the page in one of its languages."""
    return WORDS[name][tongue].format(**given) if given else WORDS[name][tongue]
