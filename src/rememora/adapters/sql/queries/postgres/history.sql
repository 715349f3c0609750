-- name: add_messages
-- Many messages at their places, in one go.
INSERT INTO messages
    (tenant_id, user_id, conversation_id, seq, id, role, content, modality, attachments, metadata, created_at,
     judged, hidden, shown)
SELECT :tenant, :user, :conversation, m.seq, m.id, m.role, m.content, m.modality, m.attachments, m.metadata, m.created_at,
       m.hidden, m.hidden, m.shown
FROM json_to_recordset(CAST(:messages AS json)) AS m
    (seq bigint, id text, role text, content text, modality text, attachments text, metadata text, created_at bigint,
     hidden text, shown text);
