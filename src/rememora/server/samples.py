"""A working body for each route that takes one, for readers to copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# A test checks that each route with a body has one, and that it fits the type of that body.
SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "chat": {"message": "Moro em Recife.", "conversation_id": "c1"},
    "chat_temporary": {"message": "Onde eu moro?"},
    "get_context": {"query": "Where do I live?", "budget": 800},
    "render_context": {"query": "Where do I live?", "form": "chat"},
    "put_conversation": {"channel": "voice"},
    "append_message": {"role": "user", "content": "A reunião ficou para quinta."},
    "append_messages": {"messages": [{"role": "user", "content": "A reunião ficou para quinta."}]},
    "append_episode": {"title": "Mudança da reunião", "summary": "A reunião ficou para quinta."},
    "remember": {"key": "user.city", "value": "Recife"},
    "correct": {"target": "user.city", "value": "Olinda"},
    "forget": {"target": "user.city"},
    "suppress": {"target": "user.city"},
    "correct_memory": {"value": "Olinda", "why": "moved"},
    "suppress_memory": {"why": "private"},
    "restore_memory": {"why": "asked for"},
    "judge": {"text": "Prefiro respostas curtas."},
    "note": {"text": "Prefiro respostas curtas."},
    "answer_proposal": {"reply": "sim"},
    "approve_quarantined": {"key": "operating.rule", "value": "Invoices are sent on Mondays."},
    "reject_quarantined": {"why": "an order hidden in a web page"},
    "import_person": {"format": "rememora.export", "version": 1, "memories": []},
    "erase": {"memory": "user.city"},
    "verify_receipt": {
        "receipt": {
            "id": "0198b7a2-5c1e-7c34-9d5e-3a1f0c9b7e21",
            "tenant": "home",
            "kind": "memory",
            "at": "2026-01-31T12:00:00Z",
            "counts": {"memories": 1},
            "audit_position": 42,
            "fingerprints": [],
            "elsewhere": 0,
            "public_key": "the receipt's own",
            "signature": "the receipt's own",
        }
    },
    "seed_profile": {"profile": {"nome": "Ana"}},
    "mention_entity": {"type": "product", "key": "pão de queijo", "value": "R$ 6"},
    "create_mission": {"query": "Compare the two suppliers."},
    "update_mission": {"changes": {"final.answer": "Supplier B is cheaper by 8 %."}},
    "act_on_mission": {"act": "push", "path": "shared.notes", "value": "prices as of Monday"},
    "send_call": {"sender": "coordinator", "to": "price-agent", "operation": "compare", "payload": {"top": 2}},
    "settle_call": {"ok": True, "spent": {"tokens": 350}},
    "take_call": {"sender": "coordinator"},
    "extend_call": {"reserve": {"tokens": 500}},
    "take_callbacks": {"agent": "coordinator"},
    "promote_result": {"path": "final.answer", "key": "operating.supplier_choice"},
    "close_mission": {"status": "completed"},
    "create_task": {
        "module": "mod-02-whatsapp-crm",
        "kind": "message.send",
        "payload": {"to": "+5511987654321", "text": "O pedido chegou."},
    },
    "claim_task": {"module": "mod-02-whatsapp-crm"},
    "renew_task": {"lease": "the lease that claiming gave", "seconds": 60},
    "complete_task": {"lease": "the lease that claiming gave", "summary": "Sent.", "result": {"message": "m1"}},
    "fail_task": {"lease": "the lease that claiming gave", "error": "no such number", "retry": False},
    "release_task": {"lease": "the lease that claiming gave"},
    "retry_dead_letters": {"subscriber": "webhook"},
    "issue_key": {"role": "module", "modules": ["mod-02-whatsapp-crm"]},
    "issue_link": {"user": "ana"},
    "change_tenant": {"name": "Padaria Sol", "status": "active"},
    "create_tenant": {"id": "padaria-sol", "plan": "free"},
}
