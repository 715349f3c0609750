"""With whom one has a contract, where one is, who comes along, and what a campaign is called."""

from __future__ import annotations

import pytest

from rememora.knowledge.mentions import mentions

NAMES = {
    "Assinei com a Hapvida.": ["organization.hapvida"],
    "Contratei a Claro por R$ 99,90.": ["organization.claro", "metric.valor_r_99_90"],
    "Renovei com a Vivo.": ["organization.vivo"],
    "Preciso renovar o contrato com a Vivo até 30/09.": ["organization.vivo", "date.--09-30"],
    "Fechei com a Stone a maquininha por 1,99%.": ["organization.stone"],
    "We signed with Comcast last week.": ["organization.comcast"],
    "We signed with Northwind Logistics for $48,000 a year.": [
        "organization.northwind_logistics",
        "metric.valor_48_000",
    ],
    "Our supplier is Bluewave Textiles.": ["organization.bluewave_textiles"],
    "O fornecedor é a Tecidos Aurora.": ["organization.tecidos_aurora"],
    "Almocei com a Fernanda na Vila Mariana.": ["person.fernanda", "place.vila_mariana"],
    "Ontem almocei com a Fernanda Castilho e o Thiago lá na Vila Mariana.": [
        "person.fernanda_castilho",
        "person.thiago",
        "place.vila_mariana",
    ],
    "I'm flying to Tokyo with Keiko.": ["place.tokyo", "person.keiko"],
    "I'm flying to Tokyo with Keiko on the 22nd of November.": ["place.tokyo", "person.keiko", "date.--11-22"],
    "A campanha Volta às Aulas começou.": ["campaign.volta_as_aulas"],
    "A campanha Natal em Casa começou.": ["campaign.natal_em_casa"],
    "A campanha Volta às Aulas teve CPA de R$ 23,40 e ROAS de 4,2x.": [
        "campaign.volta_as_aulas",
        "metric.cpa",
        "metric.roas",
    ],
    "Cancelei a Sky ontem.": ["organization.sky"],
    "I cancelled Xfinity and moved on.": ["organization.xfinity"],
    "Contratamos a Verisure e a Prosegur.": ["organization.verisure", "organization.prosegur"],
    "Fechamos contrato com a Rumo.": ["organization.rumo"],
    "Temos parceria com a Zamp desde 2024.": ["organization.zamp"],
    "Assinei ontem com a Getnet.": ["organization.getnet"],
    "Nosso fornecedor é a Zanelatto.": ["organization.zanelatto"],
    "Our biggest competitor is Lumenta.": ["organization.lumenta"],
    "We renewed our lease agreement with Greystar.": ["organization.greystar"],
    "We have a contract with Rackspace.": ["organization.rackspace"],
    "Switched to Fastmail last month.": ["product.fastmail"],
    "Migrei para a Locaweb.": ["product.locaweb"],
    "Contratei a Juliana para o caixa.": ["person.juliana"],
    "Contratei a Kessia como vendedora.": ["person.kessia"],
    "Fechei com o Paulo.": ["person.paulo"],
    "Cancelei a consulta de segunda.": [],
    "Cancelei o Carnaval.": [],
    "Fechei a loja com a Kessia.": ["person.kessia"],
    "Falei com a Kessia ontem.": ["person.kessia"],
    "I have to deal with Keiko.": [],
    "We went with Verizon.": [],
    "I work with Docker every day.": [],
    "I go with the flow.": [],
    "Went to the beach with Odalys.": ["person.odalys"],
    "Vou jantar com Yumi.": ["person.yumi"],
    "Going out with Soren tonight.": ["person.soren"],
    "Lunch with Beatrice Okafor at Wagamama.": ["person.beatrice_okafor", "organization.wagamama"],
    "Moro no Jardim Botânico.": ["place.jardim_botanico"],
    "Fui no Morro Branco com as crianças.": ["place.morro_branco"],
    "Comprei na Casa Campos.": ["organization.casa_campos"],
    "A reunião é no Vale do Anhangabaú.": ["place.vale_do_anhangabau"],
    "A campanha Girassol em Campinas vai bem.": ["campaign.girassol", "place.campinas"],
    "A campanha Girassol para Setembro.": ["campaign.girassol"],
    "A campanha Verão no Instagram vai bem.": ["campaign.verao", "product.instagram"],
    "A campanha Inverno Quente com Ana começou.": ["campaign.inverno_quente", "person.ana"],
    "The Back to School campaign starts in July.": ["campaign.back_to_school"],
    "Assign Bob to Summer Sale campaign.": ["person.bob", "campaign.summer_sale"],
    "Our Home for Christmas campaign did well.": ["campaign.home_for_christmas"],
    "The campaign Home for Christmas did well.": ["campaign.home_for_christmas"],
    "A promoção Leve ao Mar vai até 30/09.": ["campaign.leve_ao_mar", "date.--09-30"],
    "Laticínios Serrano atrasou a entrega.": ["organization.laticinios_serrano"],
    "Os Móveis chegaram.": [],
    "Signed up with Planet Fitness.": ["organization.planet_fitness"],
    "My contract with T-Mobile ends in May.": ["organization.t_mobile"],
    "A Sra. Hortência assinou com o Banco Safra.": ["person.hortencia", "organization.banco_safra"],
    "Contratei um Eletricista.": [],
    "Assinei com Pedro.": ["person.pedro"],
    "Cancelei o plano com a Vivo.": ["organization.vivo"],
    "Cancelei a internet da Claro.": ["organization.claro"],
    "Contratei um seguro com a Mapfre.": ["organization.mapfre"],
    "Cancelei o jantar com a Kessia.": ["person.kessia"],
    "A gente conta com a Kessia.": ["person.kessia"],
    "Cancelar Pedido 123": [],
    "Flying with Lufthansa tomorrow.": [],
    "She lives with Parkinson's.": [],
    "Switch to Summer Sale campaign.": ["campaign.summer_sale"],
}


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_told_by_what_is_done_with_it(text: str) -> None:
    """One signs with a firm and dines with a person; a campaign's name goes on behind its small words."""
    assert NAMES[text] == [each.key for each in mentions(text)]
