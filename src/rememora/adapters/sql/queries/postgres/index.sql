-- name: changed_entries
-- The next changes of every kind with what is kept for the ranking, texts left where they are; each vector looked up
-- by its key.
SELECT e.kind, e.conversation_id, e.id, e.number, e.state, e.features, v.vector
FROM (SELECT * FROM index_entries
      WHERE tenant_id = :tenant AND user_id = :user AND number > :after
      ORDER BY number LIMIT :limit) e
LEFT JOIN LATERAL (
    SELECT w.vector FROM vectors w
    WHERE w.tenant_id = :tenant AND w.user_id = :user AND w.kind = e.kind
      AND w.conversation_id = e.conversation_id AND w.id = e.id AND w.model = :model LIMIT 1) v ON TRUE
ORDER BY e.number;

-- name: every_entry
-- All entries of a user with what is kept for the ranking; each vector looked up by its key.
SELECT e.kind, e.conversation_id, e.id, e.number, e.state, e.features, v.vector
FROM index_entries e
LEFT JOIN LATERAL (
    SELECT w.vector FROM vectors w
    WHERE w.tenant_id = :tenant AND w.user_id = :user AND w.kind = e.kind
      AND w.conversation_id = e.conversation_id AND w.id = e.id AND w.model = :model LIMIT 1) v ON TRUE
WHERE e.tenant_id = :tenant AND e.user_id = :user;

-- name: changed_messages
-- Messages by the numbers of their last changes, each looked up by its key: a plan that joins reads, for a user who is large
-- beyond what the statistics say, all of their messages once for each of them. Superseded is one whose facts, said
-- outright, have all been replaced.
SELECT e.id, e.conversation_id, e.number, m.content, m.created_at, m.seq, m.role, m.attachments, m.metadata, v.vector, e.state,
       e.id IN (SELECT o.source_ref FROM memories o
                WHERE o.tenant_id = :tenant AND o.owner_id = :user AND o.status = 'deprecated'
                  AND o.source = 'explicit_user' AND o.source_ref IS NOT NULL)
       AND e.id NOT IN (SELECT h.source_ref FROM memories h
                        WHERE h.tenant_id = :tenant AND h.owner_id = :user AND h.status = 'active'
                          AND h.source_ref IS NOT NULL) AS superseded
FROM index_entries e
CROSS JOIN LATERAL (
    SELECT f.content, f.created_at, f.seq, f.role, f.attachments, f.metadata FROM messages f
    WHERE f.tenant_id = :tenant AND f.user_id = :user AND f.conversation_id = e.conversation_id AND f.id = e.id
      AND f.hidden IS NULL LIMIT 1) m
LEFT JOIN LATERAL (
    SELECT w.vector FROM vectors w
    WHERE w.tenant_id = :tenant AND w.user_id = :user AND w.kind = e.kind
      AND w.conversation_id = e.conversation_id AND w.id = e.id AND w.model = :model LIMIT 1) v ON TRUE
WHERE e.tenant_id = :tenant AND e.user_id = :user
  AND e.number = ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:numbers AS json)) AS BIGINT)))
  AND e.kind = 'message' AND e.state <> 'gone';

-- name: standing_messages
-- Messages by the numbers of their last changes, for what they say: neither vectors nor what became of their facts.
SELECT e.id, e.conversation_id, e.number, m.content, m.created_at, m.seq, m.role, m.attachments, m.metadata, NULL, e.state, 0
FROM index_entries e
CROSS JOIN LATERAL (
    SELECT f.content, f.created_at, f.seq, f.role, f.attachments, f.metadata FROM messages f
    WHERE f.tenant_id = :tenant AND f.user_id = :user AND f.conversation_id = e.conversation_id AND f.id = e.id
      AND f.hidden IS NULL LIMIT 1) m
WHERE e.tenant_id = :tenant AND e.user_id = :user
  AND e.number = ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:numbers AS json)) AS BIGINT)))
  AND e.kind = 'message' AND e.state <> 'gone';

-- name: changed_memories
-- Memories by the numbers of their last changes; a tenant's own stand under all users.
SELECT e.id, e.conversation_id, e.number, m.key, m.value, m.category, m.confidence, m.source, m.scope, m.evidence,
       m.updated_at, v.vector, e.state
FROM index_entries e
CROSS JOIN LATERAL (
    SELECT f.key, f.value, f.category, f.confidence, f.source, f.scope, f.evidence, f.updated_at FROM memories f
    WHERE f.tenant_id = :tenant AND f.owner_id = :user AND f.id = e.id LIMIT 1) m
LEFT JOIN LATERAL (
    SELECT w.vector FROM vectors w
    WHERE w.tenant_id = :tenant AND w.user_id = :user AND w.kind = e.kind
      AND w.conversation_id = e.conversation_id AND w.id = e.id AND w.model = :model LIMIT 1) v ON TRUE
WHERE e.tenant_id = :tenant AND e.user_id = :user
  AND e.number = ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:numbers AS json)) AS BIGINT)))
  AND e.kind = 'memory' AND e.state <> 'gone';

-- name: changed_entities
-- Entities by the numbers of their last changes.
SELECT e.id, e.number, n.key, n.type, n.value, n.confidence, n.mentions, n.conversation_id, n.updated_at, v.vector, e.state
FROM index_entries e
CROSS JOIN LATERAL (
    SELECT f.key, f.type, f.value, f.confidence, f.mentions, f.conversation_id, f.updated_at FROM entities f
    WHERE f.tenant_id = :tenant AND f.user_id = :user AND f.id = e.id
      AND f.hidden IS NULL LIMIT 1) n
LEFT JOIN LATERAL (
    SELECT w.vector FROM vectors w
    WHERE w.tenant_id = :tenant AND w.user_id = :user AND w.kind = e.kind
      AND w.conversation_id = e.conversation_id AND w.id = e.id AND w.model = :model LIMIT 1) v ON TRUE
WHERE e.tenant_id = :tenant AND e.user_id = :user
  AND e.number = ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:numbers AS json)) AS BIGINT)))
  AND e.kind = 'entity' AND e.state <> 'gone';

-- name: changed_summaries
-- Summaries by the numbers of their last changes.
SELECT e.conversation_id, e.number, s.text, s.covered, s.last_seq, s.updated_at, v.vector, e.state
FROM index_entries e
CROSS JOIN LATERAL (
    SELECT f.text, f.covered, f.last_seq, f.updated_at FROM summaries f
    WHERE f.tenant_id = :tenant AND f.user_id = :user AND f.conversation_id = e.conversation_id
      AND f.hidden IS NULL LIMIT 1) s
LEFT JOIN LATERAL (
    SELECT w.vector FROM vectors w
    WHERE w.tenant_id = :tenant AND w.user_id = :user AND w.kind = e.kind
      AND w.conversation_id = e.conversation_id AND w.id = e.id AND w.model = :model LIMIT 1) v ON TRUE
WHERE e.tenant_id = :tenant AND e.user_id = :user
  AND e.number = ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:numbers AS json)) AS BIGINT)))
  AND e.kind = 'summary' AND e.state <> 'gone';

-- name: changed_episodes
-- Episodes by the numbers of their last changes.
SELECT e.id, e.conversation_id, e.number, p.title, p.summary, p.turns, p.first_seq, p.last_seq, p.created_at, v.vector, e.state
FROM index_entries e
CROSS JOIN LATERAL (
    SELECT f.title, f.summary, f.turns, f.first_seq, f.last_seq, f.created_at FROM episodes f
    WHERE f.tenant_id = :tenant AND f.user_id = :user AND f.conversation_id = e.conversation_id AND f.id = e.id
      AND f.hidden IS NULL LIMIT 1) p
LEFT JOIN LATERAL (
    SELECT w.vector FROM vectors w
    WHERE w.tenant_id = :tenant AND w.user_id = :user AND w.kind = e.kind
      AND w.conversation_id = e.conversation_id AND w.id = e.id AND w.model = :model LIMIT 1) v ON TRUE
WHERE e.tenant_id = :tenant AND e.user_id = :user
  AND e.number = ANY (ARRAY(SELECT CAST(json_array_elements_text(CAST(:numbers AS json)) AS BIGINT)))
  AND e.kind = 'episode' AND e.state <> 'gone';
