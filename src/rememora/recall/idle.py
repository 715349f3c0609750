"""Words of a question that ask for nothing: what is said of a time, and how one asks what happened then."""

from __future__ import annotations

from typing import Final

_OF_TIMES: Final = """
passado passada passados passadas retrasado retrasada anterior ultimo ultima ultimos ultimas
comeco inicio meio meados fim final atras
last past previous beginning start middle end early late
"""
_ASKING: Final = """
digo dito dizer disse dissemos falado falamos falar falei falou contado contamos contar contei contou
conversado conversamos conversar conversei conversou comentei comentou mencionei mencionou discutimos tratamos
aconteceu aconteceram acontecer acontecendo rolou rolaram rolar fiz fez fizemos fazer fazendo houve
fala fale sabe lembra lembrar lembre resume resumir resuma resumo conversa conversas
sobre respeito gente coisa coisas assunto assuntos novidade novidades importante
say said saying tell told telling talk talked talking speak spoke spoken discuss discussed mention mentioned
chat chatted happen happened happening do did done doing go going went
remind remember know recap summarize summary share shared about topic topics thing things new news important since
"""
OF_TIMES: Final = frozenset(_OF_TIMES.split())
"""Said of a time, none of these is what a turn of that time would say."""
IDLE: Final = OF_TIMES | frozenset(_ASKING.split())
"""`O que eu disse ontem?`, `what happened last May?`: whoever says nothing else wants all that is of the time."""
