"""What a key is called when a person is told of it: plain words of their language, never `user.location`."""

from __future__ import annotations

from typing import Any, Final

LABELS: Final[dict[str, tuple[str, str]]] = {
    "user.name": ("seu nome", "your name"),
    "user.preferred_language": ("seu idioma", "your language"),
    "user.timezone": ("seu fuso horário", "your time zone"),
    "user.location": ("onde você está", "where you are"),
    "user.role_title": ("seu cargo", "your role"),
    "user.communication_style": ("seu jeito de conversar", "how you like to talk"),
    "user.contact_preference": ("como falar com você", "how to reach you"),
    "user.age": ("sua idade", "your age"),
    "user.birthday": ("seu aniversário", "your birthday"),
    "user.diet": ("sua alimentação", "your diet"),
    "user.pronouns": ("seus pronomes", "your pronouns"),
    "user.phone": ("seu telefone", "your phone"),
    "user.work_phone": ("seu telefone do trabalho", "your work phone"),
    "user.email": ("seu e-mail", "your e-mail"),
    "user.work_email": ("seu e-mail do trabalho", "your work e-mail"),
    "user.address": ("seu endereço", "your address"),
    "user.children": ("seus filhos", "your children"),
    "user.siblings": ("seus irmãos", "your siblings"),
    "user.marital_status": ("seu estado civil", "your marital status"),
    "user.birth_year": ("o ano em que você nasceu", "the year you were born"),
    "user.origin": ("de onde você é", "where you are from"),
    "user.languages": ("os idiomas que você fala", "the languages you speak"),
    "user.education": ("seus estudos", "your studies"),
    "user.team": ("seu time", "your team"),
    "user.car": ("seu carro", "your car"),
    "user.computer": ("seu computador", "your computer"),
    "user.programming_languages": ("em que você programa", "what you program in"),
    "user.handedness": ("a mão que você usa", "the hand you use"),
    "user.zodiac_sign": ("seu signo", "your zodiac sign"),
    "user.anniversary": ("seu aniversário de casamento", "your anniversary"),
    "tenant.name": ("sua empresa", "your company"),
    "tenant.segment": ("o segmento da empresa", "your company's segment"),
    "tenant.business_model": ("o modelo de negócio", "your business model"),
    "tenant.primary_goals": ("os objetivos da empresa", "your company's goals"),
    "prefs.short_answers": ("respostas curtas", "short answers"),
    "prefs.no_emojis": ("sem emojis", "no emojis"),
    "prefs.no_tech_terms": ("sem termos técnicos", "no technical terms"),
    "prefs.memory_paused": ("memória pausada", "memory paused"),
    "prefs.not_kept": ("o que você não quer que seja guardado", "what you do not want kept"),
    "prefs.no_meetings": ("sem reuniões", "no meetings"),
    "prefs.channels_enabled": ("canais ativos", "channels in use"),
    "prefs.format": ("o formato que você prefere", "the format you prefer"),
    "prefs.report_format": ("o formato dos relatórios", "the format of reports"),
    "prefs.favorite_color": ("sua cor favorita", "your favorite color"),
    "prefs.favorite_food": ("sua comida favorita", "your favorite food"),
    "prefs.favorite_movie": ("seu filme favorito", "your favorite movie"),
    "prefs.favorite_book": ("seu livro favorito", "your favorite book"),
    "prefs.favorite_song": ("sua música favorita", "your favorite song"),
    "prefs.team_language": ("o idioma da equipe", "your team's language"),
    "prefs.brand": ("sua marca", "your brand"),
    "goals.target": ("a meta", "the goal"),
    "operating.business_hours": ("o horário de funcionamento", "opening hours"),
    "operating.avg_ticket": ("o ticket médio", "the average ticket"),
    "operating.cnpj": ("o CNPJ", "the CNPJ"),
    "operating.location": ("onde fica a empresa", "where the company is"),
    "operating.payment_methods": ("formas de pagamento", "payment methods"),
    "operating.payment_terms": ("condições de pagamento", "payment terms"),
    "operating.sales_region": ("região de vendas", "sales region"),
    "operating.service_scope": ("o que a empresa atende", "what the company serves"),
    "operating.target_audience": ("o público da empresa", "the company's audience"),
    "operating.team_size": ("o tamanho da equipe", "the size of the team"),
    "operating.units": ("as unidades", "the units"),
    "operating.free_shipping": ("frete grátis", "free shipping"),
    "operating.delivery": ("entrega", "delivery"),
    "operating.max_discount": ("o desconto máximo", "the largest discount"),
    "operating.return_policy": ("a política de troca", "the return policy"),
    "operating.approval_rule": ("a regra de aprovação", "the approval rule"),
    "operating.invoice_rule": ("a regra das notas", "the invoice rule"),
    "operating.quote_validity": ("a validade do orçamento", "how long a quote holds"),
}
"""The keys that rules and forms write, each in Portuguese and in English."""

WORDS: Final[dict[str, tuple[str, str]]] = {
    "birthday": ("aniversário", "birthday"),
    "chat": ("conversa", "chat"),
    "city": ("cidade", "city"),
    "company": ("empresa", "company"),
    "deadline": ("prazo", "deadline"),
    "email": ("e-mail", "e-mail"),
    "email_marketing": ("e-mail marketing", "e-mail marketing"),
    "finance": ("finanças", "finance"),
    "job": ("profissão", "job"),
    "language": ("idioma", "language"),
    "location": ("lugar", "place"),
    "meeting": ("reunião", "meeting"),
    "name": ("nome", "name"),
    "nickname": ("apelido", "nickname"),
    "note": ("anotação", "note"),
    "payments": ("pagamentos", "payments"),
    "payroll": ("folha de pagamento", "payroll"),
    "phone": ("telefone", "phone"),
    "price": ("preço", "price"),
    "pricing": ("preços", "pricing"),
    "project_management": ("projetos", "projects"),
    "revenue": ("faturamento", "revenue"),
    "role": ("função", "role"),
    "rule": ("regra", "rule"),
    "scheduling": ("agenda", "scheduling"),
    "software": ("programa", "software"),
    "supplier": ("fornecedor", "supplier"),
    "support": ("atendimento", "support"),
}
"""Segments of keys that are made as they are needed."""

FAMILY: Final[dict[str, tuple[str, str]]] = {
    "mom": ("sua mãe", "your mom"),
    "dad": ("seu pai", "your dad"),
    "parents": ("seus pais", "your parents"),
    "wife": ("sua esposa", "your wife"),
    "husband": ("seu marido", "your husband"),
    "brother": ("seu irmão", "your brother"),
    "sister": ("sua irmã", "your sister"),
    "son": ("seu filho", "your son"),
    "daughter": ("sua filha", "your daughter"),
    "girlfriend": ("sua namorada", "your girlfriend"),
    "boyfriend": ("seu namorado", "your boyfriend"),
    "uncle": ("seu tio", "your uncle"),
    "aunt": ("sua tia", "your aunt"),
    "grandparent": ("seus avós", "your grandparents"),
    "chefe": ("sua chefia", "your boss"),
    "boss": ("sua chefia", "your boss"),
}
"""Those who are known by what they are to the person."""

_OWN: Final[dict[str, tuple[str, str]]] = {
    "user.trait.": ("sobre você", "about you"),
    "user.learning.": ("o que você está aprendendo", "what you are learning"),
    "user.pets.dog": ("seus cachorros", "your dogs"),
    "user.pets.cat": ("seus gatos", "your cats"),
    "prefs.likes.": ("você gosta de", "you like"),
    "prefs.dislikes.": ("você não gosta de", "you do not like"),
    "prefs.preference.": ("sua preferência", "your preference"),
}
"""Keys that carry what they are about, each by how it begins."""

_SPACES: Final[dict[str, tuple[str, str]]] = {
    "people": ("{rest} de {name}", "{name}'s {rest}"),
    "pets": ("seu bicho {name}", "your pet {name}"),
    "projects": ("projeto {name}", "the project {name}"),
    "tools": ("ferramenta de {rest}", "{rest} tool"),
    "goals": ("meta: {rest}", "goal: {rest}"),
}
_UNNAMED = ("rule", "note")
_CAPITALS = frozenset({"crm", "erp", "nps", "cac", "roi", "kpi"})


def label_of(key: str, language: str) -> str:
    """What a key is called in Portuguese, or else in English."""
    place = 0 if language == "pt" else 1
    if key in LABELS:
        return LABELS[key][place]
    for opening, label in _OWN.items():
        if key.startswith(opening):
            return label[place]
    space, _, rest = (
        key.removeprefix("user.").partition(".") if key.startswith("user.pets.") else key.partition(".")
    )
    if space == "people":
        who, _, rest = rest.partition(".")
        name = FAMILY[who][place] if who in FAMILY else who.replace("_", " ").title()
        # "Lucia: esposa" says it; "the role of Lucia: wife" is nobody's language.
        named = rest and rest != "role"
        return _SPACES[space][place].format(name=name, rest=_plain(rest, place)) if named else name
    if space in _SPACES:
        name = rest.replace("_", " ").replace(".", " ").title()
        return _SPACES[space][place].format(name=name, rest=_plain(rest, place))
    return _plain(rest or space, place)


def told(key: str, value: Any, text: str, language: str) -> str:
    """A key with its value as a sentence holds them; a plain yes is in the name already."""
    label = label_of(key, language)
    if value is True:
        return label
    if value is False:
        return f"{label}: {'não' if language == 'pt' else 'no'}"
    return f"{label}: {text}"


def _plain(rest: str, place: int) -> str:
    """The segments of a key as words."""
    for name in _UNNAMED:
        if rest.startswith(f"{name}_"):
            return WORDS[name][place]
    return " ".join(_word(segment, place) for segment in rest.split("."))


def _word(segment: str, place: int) -> str:
    if segment in WORDS:
        return WORDS[segment][place]
    return segment.upper() if segment in _CAPITALS else segment.replace("_", " ")
