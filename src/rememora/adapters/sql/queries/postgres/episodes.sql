-- name: add_episodes
-- Many episodes in one go, each unless its turn count has one; says which are new.
INSERT INTO episodes
    (tenant_id, user_id, conversation_id, turns, id, first_seq, last_seq, title, summary, told, created_at, hidden)
SELECT :tenant, :user, :conversation, e.turns, e.id, e.first_seq, e.last_seq, e.title, e.summary, :told, e.created_at,
       e.hidden
FROM json_to_recordset(CAST(:episodes AS json)) AS e
    (turns bigint, id text, first_seq bigint, last_seq bigint, title text, summary text, created_at bigint,
     hidden text)
ON CONFLICT (tenant_id, user_id, conversation_id, turns) DO NOTHING
RETURNING id;
