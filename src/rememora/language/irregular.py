"""Irregular words of both languages, and words that folding would confuse."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.wordlists import pairs

# `Chapeu` is no form of `chapar`, as `vendeu` is one of `vender`.
_NOUNS_IN_EU: Final = """
apogeu ateu camafeu chapeu coliseu europeu hebreu jubileu judeu liceu mausoleu museu plebeu pneu trofeu
"""
# `Primos` are no form of `primar`, as `decidimos` is one of `decidir`.
_NOUNS_IN_MOS: Final = """
animos arrimos azimos balsamos bigamos blasfemos calamos crisantemos desanimos dinamos dizimos emprestimos
enfermos extremos hipopotamos hipotalamos infimos intimos magnanimos maritimos minimos monogamos opimos otimos
pantomimos poligamos prestimos primos racimos reclamos septimos sesamos setimos supremos talamos termos tramos
"""
# Plural=singular, where cutting the ending gives another word or none.
_PORTUGUESE: Final = """
ares=ar biquinis=biquini caos=caos dois=dois gas=gas gibis=gibi javalis=javali juris=juri maes=mae meis=mel
rubis=rubi safaris=safari seis=seis sois=sol tres=tres zumbis=zumbi
"""
# `Prefiro`, `trouxe`, `odeio`: what people say of themselves and of yesterday, and a question in other forms.
_PORTUGUESE_VERBS: Final = """
agimos=agir amamos=amar cai=cair caem=cair caimos=cair caindo=cair caiu=cair consegue=conseguir
conseguem=conseguir consigo=conseguir coube=caber damos=dar dava=dar dei=dar deram=dar deu=dar dou=dar dando=dar
digo=dizer dirijo=dirigir disse=dizer dissemos=dizer disseram=dizer durmo=dormir foge=fugir leem=ler leio=ler
lendo=ler leram=ler leu=ler odeia=odiar odeiam=odiar odeio=odiar ouco=ouvir peco=pedir perco=perder
prefiro=preferir preferencia=preferir preferencias=preferir quis=querer quisemos=querer quiseram=querer rimos=rir
riu=rir sai=sair saem=sair saida=sair saidas=sair saimos=sair saindo=sair saiu=sair segue=seguir seguem=seguir
sei=saber sigo=seguir sinto=sentir sirvo=servir sobe=subir sobem=subir some=sumir soube=saber soubemos=saber
souberam=saber trago=trazer trouxe=trazer trouxemos=trazer trouxeram=trazer unimos=unir usa=usar usam=usar
usamos=usar usado=usar usada=usar usando=usar usava=usar usei=usar uso=usar usou=usar usaram=usar variamos=variar
veem=ver vejo=ver vemos=ver vimos=ver viu=ver
cobranca=cobrar cobrancas=cobrar decisao=decidir decisoes=decidir lembranca=lembrar lembrancas=lembrar
mudanca=mudar mudancas=mudar
"""
# Plural=singular; regular plurals are left to the stemmer.
_ENGLISH: Final = """
buses=bus calves=calf children=child feet=foot geese=goose halves=half knives=knife loaves=loaf men=man mice=mouse
people=person scarves=scarf shelves=shelf teeth=tooth thieves=thief wives=wife wolves=wolf women=woman
"""
# `When did I buy it?` is answered by `I bought it`. What is as often another word (`left`, `rose`) is not here.
_ENGLISH_VERBS: Final = """
ate=eat eaten=eat became=become began=begin begun=begin bought=buy broke=break broken=break brought=bring
built=build caught=catch chose=choose chosen=choose drank=drink drunk=drink drawn=draw drew=draw driven=drive
drove=drive fallen=fall fed=feed fell=fall felt=feel fought=fight flew=fly flown=fly forgot=forget
forgotten=forget froze=freeze frozen=freeze gave=give given=give gone=go went=go grew=grow grown=grow
heard=hear held=hold hid=hide hidden=hide kept=keep knew=know known=know laid=lay led=lead lent=lend lost=lose
made=make meant=mean met=meet paid=pay ran=run ridden=ride rode=ride said=say sang=sing sung=sing sat=sit saw=see
seen=see sent=send shook=shake shaken=shake shot=shoot shown=show slept=sleep sold=sell sought=seek
spent=spend spoke=speak spoken=speak stole=steal stolen=steal stood=stand stuck=stick swam=swim swum=swim
swore=swear taken=take took=take taught=teach thought=think threw=throw thrown=throw told=tell tore=tear torn=tear
understood=understand woke=wake woken=wake won=win wore=wear worn=wear written=write wrote=write
"""
PORTUGUESE: Final = pairs(_PORTUGUESE) | pairs(_PORTUGUESE_VERBS)
"""Plural and singular; a word that is its own singular only looks like a plural."""
ENGLISH: Final = pairs(_ENGLISH) | pairs(_ENGLISH_VERBS)
WHOLE: Final = {word: word for word in _NOUNS_IN_EU.split()} | {"deus": "deus", "mes": "meses", "meses": "meses"}
"""Words that must not be stemmed: the stem of `mês` would be that of `mesa`."""
NOUNS_IN_MOS: Final = frozenset(_NOUNS_IN_MOS.split())
"""Plurals with the ending of a verb in the first person plural."""
_COUNTRY: Final = re.compile(r"\bpaís\b", re.IGNORECASE)


def apart(text: str) -> str:
    """Return `text` with `país` in the plural: without its accent it would be `pais`, the plural of `pai`."""
    return _COUNTRY.sub("paises", text) if "ís" in text or "ÍS" in text else text
