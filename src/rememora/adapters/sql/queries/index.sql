-- name: newest_change
-- The number of the user's last change.
SELECT COALESCE(MAX(number), 0) FROM index_entries
WHERE tenant_id = :tenant AND user_id = :user;

-- name: put_entry
-- An item is new or changed, and waits for its vector.
INSERT INTO index_entries (tenant_id, user_id, kind, conversation_id, id, number, state)
VALUES (:tenant, :user, :kind, :conversation, :id, :number, 'waiting')
ON CONFLICT (tenant_id, user_id, kind, conversation_id, id) DO UPDATE SET
    number = excluded.number, state = 'waiting', features = NULL;

-- name: put_messages
-- The messages at these places but the system's are new; the last change before them makes their numbers follow it.
INSERT INTO index_entries (tenant_id, user_id, kind, conversation_id, id, number, state)
SELECT :tenant, :user, 'message', :conversation, id, :newest + 1 + seq - :first, 'waiting'
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation
  AND seq BETWEEN :first AND :last AND role <> 'system' AND hidden IS NULL
ON CONFLICT (tenant_id, user_id, kind, conversation_id, id) DO UPDATE SET
    number = excluded.number, state = 'waiting', features = NULL;

-- name: put_message
-- One message is new: number and entry in one go, as most messages come; the owner's first begins after a number.
INSERT INTO index_entries (tenant_id, user_id, kind, conversation_id, id, number, state)
SELECT :tenant, :user, 'message', :conversation, :id,
       1 + (SELECT COALESCE(MAX(n.number), :start) FROM index_entries n WHERE n.tenant_id = :tenant AND n.user_id = :user),
       'waiting'
WHERE true
ON CONFLICT (tenant_id, user_id, kind, conversation_id, id) DO UPDATE SET
    number = excluded.number, state = 'waiting', features = NULL
RETURNING number;

-- name: touch_entry
-- An item is told of once more, with the vector and the features that it has or waits for.
UPDATE index_entries SET number = :number, features = NULLIF(features, :unread)
WHERE tenant_id = :tenant AND user_id = :user AND kind = :kind
  AND conversation_id = :conversation AND id = :id AND state <> 'gone';

-- name: drop_entry
-- An item is gone; its key stays, so that every reader learns of it.
UPDATE index_entries SET number = :number, state = 'gone', features = NULL
WHERE tenant_id = :tenant AND user_id = :user AND kind = :kind
  AND conversation_id = :conversation AND id = :id AND state <> 'gone';

-- name: drop_vector
-- The vector of one item.
DELETE FROM vectors
WHERE tenant_id = :tenant AND user_id = :user AND kind = :kind
  AND conversation_id = :conversation AND id = :id;

-- name: drop_conversation_entries
-- Every entry of what was said in a conversation, by its key; what is known of a project outlives it.
DELETE FROM index_entries
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation
  AND kind IN ('message', 'summary', 'episode');

-- name: drop_conversation_vectors
-- Every vector of what was said in a conversation, by its key.
DELETE FROM vectors
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation
  AND kind IN ('message', 'summary', 'episode');

-- name: mark_gone
-- A conversation, or with the kind `reset` everything of a user, is gone.
INSERT INTO index_entries (tenant_id, user_id, kind, conversation_id, id, number, state)
VALUES (:tenant, :user, :kind, :conversation, '', :number, 'gone')
ON CONFLICT (tenant_id, user_id, kind, conversation_id, id) DO UPDATE SET
    number = excluded.number, state = 'gone';

-- name: clear_entries
-- Every entry of a user.
DELETE FROM index_entries WHERE tenant_id = :tenant AND user_id = :user;

-- name: clear_vectors
-- Every vector of a user.
DELETE FROM vectors WHERE tenant_id = :tenant AND user_id = :user;

-- name: changed_keys
-- The next changes: keys, numbers and states, so that only the kinds among them are read.
SELECT kind, conversation_id, id, number, state FROM index_entries
WHERE tenant_id = :tenant AND user_id = :user AND number > :after
ORDER BY number
LIMIT :limit;

-- name: changed_entries
-- The next changes of every kind with what is kept for the ranking, texts left where they are.
SELECT e.kind, e.conversation_id, e.id, e.number, e.state, e.features, v.vector
FROM index_entries e
LEFT JOIN vectors v ON v.tenant_id = e.tenant_id AND v.user_id = e.user_id AND v.kind = e.kind
    AND v.conversation_id = e.conversation_id AND v.id = e.id AND v.model = :model
WHERE e.tenant_id = :tenant AND e.user_id = :user AND e.number > :after
ORDER BY e.number
LIMIT :limit;

-- name: count_entries
-- How many entries a user has; counting stops at the limit.
SELECT COUNT(*) FROM (
    SELECT number FROM index_entries WHERE tenant_id = :tenant AND user_id = :user LIMIT :limit
) AS counted;

-- name: every_entry
-- All entries of a user with what is kept for the ranking, by their keys: the vectors lie in the same order.
SELECT e.kind, e.conversation_id, e.id, e.number, e.state, e.features, v.vector
FROM index_entries e
LEFT JOIN vectors v ON v.tenant_id = e.tenant_id AND v.user_id = e.user_id AND v.kind = e.kind
    AND v.conversation_id = e.conversation_id AND v.id = e.id AND v.model = :model
WHERE e.tenant_id = :tenant AND e.user_id = :user
ORDER BY e.kind, e.conversation_id, e.id;

-- name: memory_facts
-- What holds, and what was replaced: what the ranking reads of a memory beside its features, and who said it.
SELECT m.id, m.status, m.source, m.source_ref, m.category, m.confidence, m.updated_at, m.key,
       CASE WHEN m.key IN ('user.timezone', 'user.locale') THEN m.value END
FROM memories m
WHERE m.tenant_id = :tenant AND m.owner_id = :user AND m.status IN ('active', 'deprecated');

-- name: changed_messages
-- Messages by the numbers of their last changes; superseded is one whose facts, said outright, have all been replaced.
-- The sign keeps SQLite from looking at every item of the kind for each number.
SELECT e.id, e.conversation_id, e.number, m.content, m.created_at, m.seq, m.role, m.attachments, m.metadata, v.vector, e.state,
       e.id IN (SELECT o.source_ref FROM memories o
                WHERE o.tenant_id = :tenant AND o.owner_id = :user AND o.status = 'deprecated'
                  AND o.source = 'explicit_user' AND o.source_ref IS NOT NULL)
       AND e.id NOT IN (SELECT h.source_ref FROM memories h
                        WHERE h.tenant_id = :tenant AND h.owner_id = :user AND h.status = 'active'
                          AND h.source_ref IS NOT NULL) AS superseded
FROM json_each(:numbers) c
CROSS JOIN index_entries e ON e.number = c.value
CROSS JOIN messages m ON m.tenant_id = e.tenant_id AND m.user_id = e.user_id
    AND m.conversation_id = e.conversation_id AND m.id = e.id
LEFT JOIN vectors v ON v.tenant_id = e.tenant_id AND v.user_id = e.user_id AND v.kind = e.kind
    AND v.conversation_id = e.conversation_id AND v.id = e.id AND v.model = :model
WHERE e.tenant_id = :tenant AND e.user_id = :user AND +e.kind = 'message' AND e.state <> 'gone' AND m.hidden IS NULL;

-- name: standing_messages
-- Messages by the numbers of their last changes, for what they say: neither vectors nor what became of their facts.
SELECT e.id, e.conversation_id, e.number, m.content, m.created_at, m.seq, m.role, m.attachments, m.metadata, NULL, e.state, 0
FROM json_each(:numbers) c
CROSS JOIN index_entries e ON e.number = c.value
CROSS JOIN messages m ON m.tenant_id = e.tenant_id AND m.user_id = e.user_id
    AND m.conversation_id = e.conversation_id AND m.id = e.id
WHERE e.tenant_id = :tenant AND e.user_id = :user AND +e.kind = 'message' AND e.state <> 'gone'
    AND m.hidden IS NULL;

-- name: changed_memories
-- Memories by the numbers of their last changes; a tenant's own stand under all users.
SELECT e.id, e.conversation_id, e.number, m.key, m.value, m.category, m.confidence, m.source, m.scope, m.evidence,
       m.updated_at, v.vector, e.state
FROM json_each(:numbers) c
CROSS JOIN index_entries e ON e.number = c.value
CROSS JOIN memories m ON m.tenant_id = e.tenant_id AND m.owner_id = e.user_id AND m.id = e.id
LEFT JOIN vectors v ON v.tenant_id = e.tenant_id AND v.user_id = e.user_id AND v.kind = e.kind
    AND v.conversation_id = e.conversation_id AND v.id = e.id AND v.model = :model
WHERE e.tenant_id = :tenant AND e.user_id = :user AND +e.kind = 'memory' AND e.state <> 'gone';

-- name: changed_entities
-- Entities by the numbers of their last changes.
SELECT e.id, e.number, n.key, n.type, n.value, n.confidence, n.mentions, n.conversation_id, n.updated_at, v.vector, e.state
FROM json_each(:numbers) c
CROSS JOIN index_entries e ON e.number = c.value
CROSS JOIN entities n ON n.tenant_id = e.tenant_id AND n.user_id = e.user_id AND n.id = e.id
LEFT JOIN vectors v ON v.tenant_id = e.tenant_id AND v.user_id = e.user_id AND v.kind = e.kind
    AND v.conversation_id = e.conversation_id AND v.id = e.id AND v.model = :model
WHERE e.tenant_id = :tenant AND e.user_id = :user AND +e.kind = 'entity' AND e.state <> 'gone' AND n.hidden IS NULL;

-- name: changed_summaries
-- Summaries by the numbers of their last changes.
SELECT e.conversation_id, e.number, s.text, s.covered, s.last_seq, s.updated_at, v.vector, e.state
FROM json_each(:numbers) c
CROSS JOIN index_entries e ON e.number = c.value
CROSS JOIN summaries s ON s.tenant_id = e.tenant_id AND s.user_id = e.user_id AND s.conversation_id = e.conversation_id
LEFT JOIN vectors v ON v.tenant_id = e.tenant_id AND v.user_id = e.user_id AND v.kind = e.kind
    AND v.conversation_id = e.conversation_id AND v.id = e.id AND v.model = :model
WHERE e.tenant_id = :tenant AND e.user_id = :user AND +e.kind = 'summary' AND e.state <> 'gone' AND s.hidden IS NULL;

-- name: changed_episodes
-- Episodes by the numbers of their last changes.
SELECT e.id, e.conversation_id, e.number, p.title, p.summary, p.turns, p.first_seq, p.last_seq, p.created_at, v.vector, e.state
FROM json_each(:numbers) c
CROSS JOIN index_entries e ON e.number = c.value
CROSS JOIN episodes p ON p.tenant_id = e.tenant_id AND p.user_id = e.user_id
    AND p.conversation_id = e.conversation_id AND p.id = e.id
LEFT JOIN vectors v ON v.tenant_id = e.tenant_id AND v.user_id = e.user_id AND v.kind = e.kind
    AND v.conversation_id = e.conversation_id AND v.id = e.id AND v.model = :model
WHERE e.tenant_id = :tenant AND e.user_id = :user AND +e.kind = 'episode' AND e.state <> 'gone' AND p.hidden IS NULL;

-- name: waiting_numbers
-- The numbers of a user's items that wait for a vector.
SELECT kind, number FROM index_entries
WHERE tenant_id = :tenant AND user_id = :user AND state = 'waiting'
ORDER BY number
LIMIT :limit;

-- name: settle_entry
-- An item is embedded, or cannot be, unless it changed meanwhile.
UPDATE index_entries SET number = :number, state = :state, run = :run, features = COALESCE(:features, features)
WHERE tenant_id = :tenant AND user_id = :user AND kind = :kind
  AND conversation_id = :conversation AND id = :id AND number = :seen AND state = 'waiting';

-- name: put_vector
-- The vector that a model made of one item.
INSERT INTO vectors (tenant_id, user_id, kind, conversation_id, id, model, vector)
VALUES (:tenant, :user, :kind, :conversation, :id, :model, :vector)
ON CONFLICT (tenant_id, user_id, kind, conversation_id, id, model) DO UPDATE SET vector = excluded.vector;

-- name: featureless_numbers
-- The numbers of a user's settled items without features.
SELECT kind, number FROM index_entries
WHERE tenant_id = :tenant AND user_id = :user AND features IS NULL AND state IN ('embedded', 'failed')
ORDER BY number
LIMIT :limit;

-- name: put_features
-- What the ranking reads of an item, unless it changed meanwhile; its readers are not told.
UPDATE index_entries SET features = :features
WHERE tenant_id = :tenant AND user_id = :user AND number = :seen AND state <> 'gone';

-- name: settled_numbers
-- The numbers of a user's items that another run than this one has settled.
SELECT kind, number FROM index_entries
WHERE tenant_id = :tenant AND user_id = :user AND number > :after AND run <> :run
  AND state IN ('embedded', 'failed')
ORDER BY number
LIMIT :limit;

-- name: settle_beside
-- A run has settled an item too, unless it changed meanwhile; its readers are not told.
UPDATE index_entries SET run = :run
WHERE tenant_id = :tenant AND user_id = :user AND kind = :kind
  AND conversation_id = :conversation AND id = :id AND number = :seen AND state IN ('embedded', 'failed');

-- name: drop_model
-- Every vector that a model made for a user.
DELETE FROM vectors WHERE tenant_id = :tenant AND user_id = :user AND model = :model;

-- name: scopes_waiting
-- operator: Users with items that wait for a vector.
SELECT DISTINCT tenant_id, user_id FROM index_entries
WHERE state = 'waiting'
LIMIT :limit;

-- name: scopes_featureless
-- operator: Users with settled items that have no features.
SELECT DISTINCT tenant_id, user_id FROM index_entries
WHERE features IS NULL AND state IN ('embedded', 'failed')
LIMIT :limit;

-- name: note_features
-- operator: Which version of features is made from now on; nothing happens where it is the one noted.
INSERT INTO leases (name, owner, until) VALUES ('features', :version, 0)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner WHERE leases.owner <> excluded.owner;

-- name: drop_other_features
-- operator: Features of any other version are no longer read.
UPDATE index_entries SET features = NULL WHERE features IS NOT NULL AND SUBSTR(features, 1, 1) <> :mark;

-- name: scopes_above
-- operator: Users with more entries than so many.
SELECT tenant_id, user_id FROM index_entries
GROUP BY tenant_id, user_id
HAVING COUNT(*) > :rows;

-- name: index_lag
-- operator: Items that wait for a vector, counted up to so many.
SELECT COUNT(*) FROM (SELECT 1 FROM index_entries WHERE state = 'waiting' LIMIT :most) AS waiting;

-- name: refused_items
-- operator: Items that could not be embedded.
SELECT COUNT(*) FROM index_entries WHERE state = 'failed';

-- name: wait_again
-- operator: What could not be embedded waits once more.
UPDATE index_entries SET state = 'waiting' WHERE state = 'failed';

-- name: indexed_items
-- operator: Items that have or wait for a vector.
SELECT COUNT(*) FROM index_entries WHERE state <> 'gone';

-- name: embedding_runs
-- operator: Which models make the vectors, in the order they came.
SELECT run, name, dimension, state FROM embedding_model ORDER BY run;

-- name: add_embedding_run
-- operator: One more run, unless its number is taken.
INSERT INTO embedding_model (run, name, dimension, state) VALUES (:run, :name, :dimension, :state)
ON CONFLICT (run) DO NOTHING;

-- name: change_embedding_run
-- operator: A run has another state.
UPDATE embedding_model SET state = :state WHERE run = :run;

-- name: drop_embedding_run
-- operator: Nothing is left of a run.
DELETE FROM embedding_model WHERE run = :run;

-- name: wait_for_run
-- operator: What another run than this one has settled waits again.
UPDATE index_entries SET state = 'waiting' WHERE run <> :run AND state IN ('embedded', 'failed');

-- name: scopes_settled
-- operator: The next users with items that another run than this one has settled.
SELECT DISTINCT tenant_id, user_id FROM index_entries
WHERE (tenant_id, user_id) > (:tenant, :user) AND run <> :run AND state IN ('embedded', 'failed')
ORDER BY tenant_id, user_id
LIMIT :limit;

-- name: settled_items
-- operator: Items that another run than this one has settled.
SELECT COUNT(*) FROM index_entries WHERE run <> :run AND state IN ('embedded', 'failed');

-- name: scopes_of_model
-- operator: The next users with vectors that a model made.
SELECT DISTINCT tenant_id, user_id FROM vectors
WHERE (tenant_id, user_id) > (:tenant, :user) AND model = :model
ORDER BY tenant_id, user_id
LIMIT :limit;

-- name: claim_lease
-- operator: Takes or renews a lease, unless another process holds it.
INSERT INTO leases (name, owner, until) VALUES (:name, :owner, :until)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE leases.owner = excluded.owner OR leases.until < :now;

-- name: release_lease
-- operator: Gives a lease back.
DELETE FROM leases WHERE name = :name AND owner = :owner;

-- name: knowledge_entries
-- A user's entries of what is known, not of what was said.
SELECT kind, conversation_id, id FROM index_entries
WHERE tenant_id = :tenant AND user_id = :user AND kind IN ('memory', 'entity') AND state <> 'gone';
