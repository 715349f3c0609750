"""A body that works for each route that takes one: what a reader of the document copies first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "chat": {"message": "Moro em Recife.", "conversation_id": "c1"},
    "get_context": {"query": "Where do I live?", "budget": 800},
    "render_context": {"query": "Where do I live?", "form": "chat"},
    "put_conversation": {"channel": "voice"},
    "append_message": {"role": "user", "content": "A reunião ficou para quinta."},
    "append_messages": {"messages": [{"role": "user", "content": "A reunião ficou para quinta."}]},
    "remember": {"key": "user.city", "value": "Recife"},
    "correct": {"target": "user.city", "value": "Olinda"},
    "forget": {"target": "user.city"},
    "suppress": {"target": "user.city"},
    "correct_memory": {"value": "Olinda", "why": "moved"},
    "suppress_memory": {"why": "private"},
    "restore_memory": {"why": "asked for"},
    "judge": {"text": "Prefiro respostas curtas."},
    "note": {"text": "Prefiro respostas curtas."},
    "seed_profile": {"profile": {"nome": "Ana"}},
    "mention_entity": {"type": "product", "key": "pão de queijo", "value": "R$ 6"},
    "create_mission": {"query": "Compare the two suppliers."},
    "create_task": {
        "module": "mod-02-whatsapp-crm",
        "kind": "message.send",
        "payload": {"to": "+5511987654321", "text": "O pedido chegou."},
    },
    "claim_task": {"module": "mod-02-whatsapp-crm"},
    "retry_dead_letters": {"subscriber": "webhook"},
    "issue_key": {"role": "module", "modules": ["mod-02-whatsapp-crm"]},
    "issue_link": {"user": "ana"},
    "create_tenant": {"id": "padaria-sol", "plan": "free"},
}
