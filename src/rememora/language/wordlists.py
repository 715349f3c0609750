"""Word lists of both languages, folded: what carries no meaning, and how people write in a hurry."""

from __future__ import annotations

from typing import Final

_PT: Final = """
a à ao aos aquela aquelas aquele aqueles aquilo as até com como da das de dela delas dele deles depois do
dos e é ela elas ele eles em entre era eram essa essas esse esses esta está estamos estão estar estas
estava estavam este estes esteve estive estou eu foi fomos for fora foram fosse fui há isso isto já lá
lhe lhes mais mas me mesmo meu meus minha minhas muito na não nas nem no nos nós nossa nossas nosso
nossos num numa nuns numas o os ou para pela pelas pelo pelos por porque porquê qual quais quando quanto
quanta quantos quantas que quê quem se seja sejam sem ser será serão seria seu seus só sou somos sua suas
são também te tem tém têm temos tenha tenho ter terá teria teu teus teve tinha tinham tive tu tua tuas
tudo um uma umas uns vai vão vamos você vocês vos vou onde cujo cuja aí ali aqui então assim ainda agora
bem tipo né ok sim ah oh oi olá ai eita opa ué kkk kk rs rsrs haha daí pois tá tô ta to tava cara gente
coisa coisas algum alguma alguns algumas outro outra outros outras cada todo toda todos todas qualquer
quaisquer pra pro pras pros dum duma deste desta desse dessa disso disto nesse nessa neste nesta nisso
nisto naquele naquela dessas desses destas destes sido sendo estando ir ia iam fica ficar ficou ficam
fiquei faz fazer fez feito fazem haver houve deve devem pode podem poder podia dia obrigado obrigada
favor bom boa legal certo claro entendi entendido perfeito ótimo vir vem vêm veio vieram vinha vinham
éramos estávamos estivemos ficamos tínhamos tivemos viemos íamos
"""
_EN: Final = """
a about above after again against all am an and any are aren't as at be because been before being below
between both but by can cannot could couldn did didn do does doesn doing don down during each few for
from further had hadn has hasn have haven having he her here hers herself him himself his how i if in
into is isn it its itself just let me might more most mustn my myself no nor not now of off on once only
or other our ours ourselves out over own same shan she should shouldn so some such than that the their
theirs them themselves then there these they this those through to too under until up very was wasn we
were weren what when where which while who whom why will with won would wouldn you your yours yourself
yourselves ll re ve d m s t yeah yep yes hey hi hello oh wow ok okay really also get got gets getting
gonna wanna thing things something anything everything lot lots much many well like cool great awesome
nice thanks thank sure definitely hmm haha lol gosh glad ever still
"""
_INFORMAL_PT: Final = """
vc=voce vcs=voces cê=voce ce=voce pq=porque tbm=tambem tb=tambem tmb=tambem blz=beleza q=que oq=que
hj=hoje agr=agora msm=mesmo mt=muito mto=muito mta=muita qdo=quando qnd=quando cmg=comigo ctg=contigo
obg=obrigado pfv=favor pf=favor td=tudo tds=todos dps=depois ngm=ninguem aki=aqui n=nao nn=nao vlw=valeu
flw=falou msg=mensagem msgs=mensagens zap=whatsapp wpp=whatsapp whats=whatsapp zapzap=whatsapp
insta=instagram fds=fim-de-semana amnh=amanha sla=sei kd=cade eh=e entaum=entao naum=nao pqp=puxa
bjs=beijos abs=abracos hrs=horas min=minutos e-mail=email e-mails=email emails=email dr=doutor dra=doutora
prof=professor profa=professora apto=apartamento facul=faculdade niver=aniversario vo=avo mamae=mae papai=pai
r$=reais us$=dolares u$=dolares €=euros
"""
_INFORMAL_EN: Final = """
u=you ur=your r=are pls=please plz=please thx=thanks ty=thanks bc=because cuz=because coz=because
tmrw=tomorrow tmr=tomorrow rn=now ppl=people msg=message msgs=messages bday=birthday fav=favorite
favs=favorites favourite=favorite favourites=favorites colour=color colours=colors pic=picture
pics=pictures photo=picture photos=pictures mum=mom gonna=going wanna=want gotta=got idk=know imo=think
w=with hrs=hours mins=minutes grey=gray theatre=theater centre=center travelling=traveling
cancelled=canceled e-mail=email e-mails=email emails=email dr=doctor prof=professor
r$=reais us$=dollars u$=dollars €=euros
"""
_SAINTS_IN_S: Final = """
barnabas carlos domingos elias jonas judas lucas luis marcos mateus matheus matias moises nicolas thomas tomas
"""


def _folded(words: str) -> frozenset[str]:
    table = str.maketrans("áàâãéêíóôõúüç", "aaaaeeiooouuc")
    return frozenset(words.translate(table).split())


def pairs(words: str) -> dict[str, str]:
    """Words and what they stand for, each written `word=other`."""
    return dict(pair.split("=", 1) for pair in words.split())


STOP: Final[dict[str, frozenset[str]]] = {"pt": _folded(_PT), "en": _folded(_EN)}
INFORMAL: Final[dict[str, dict[str, str]]] = {"pt": pairs(_INFORMAL_PT), "en": pairs(_INFORMAL_EN)}
SAINTS_IN_S: Final = frozenset(_SAINTS_IN_S.split())
