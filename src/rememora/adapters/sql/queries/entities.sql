-- name: mention_entity
-- Counts a mention in the same statement that stores it; what was forgotten begins anew.
INSERT INTO entities
    (tenant_id, user_id, key, id, type, value, confidence, conversation_id, mentions, created_at, updated_at,
     judged, hidden)
VALUES (:tenant, :user, :key, :id, :type, :value, :confidence, :conversation, 1, :at, :at, :judged, :judged)
ON CONFLICT (tenant_id, user_id, key) DO UPDATE SET
    type = excluded.type,
    value = excluded.value,
    confidence = excluded.confidence,
    conversation_id = CASE WHEN excluded.conversation_id = '' THEN entities.conversation_id
                           ELSE excluded.conversation_id END,
    mentions = CASE WHEN entities.forgotten = 0 THEN entities.mentions + 1 ELSE 1 END,
    forgotten = 0,
    judged = CASE WHEN entities.value = excluded.value AND entities.judged IN ('forgotten', 'suppressed')
                  THEN entities.judged ELSE excluded.judged END,
    hidden = CASE WHEN entities.value = excluded.value AND entities.judged IN ('forgotten', 'suppressed')
                  THEN entities.hidden ELSE excluded.hidden END,
    updated_at = CASE WHEN excluded.updated_at > entities.updated_at THEN excluded.updated_at
                      ELSE entities.updated_at END
RETURNING id, key, type, value, confidence, conversation_id, mentions, forgotten, created_at, updated_at, hidden;

-- name: add_entity
-- An entity as another store had it, unless it is here.
INSERT INTO entities
    (tenant_id, user_id, key, id, type, value, confidence, conversation_id, mentions, forgotten, created_at,
     updated_at, judged, hidden)
VALUES (:tenant, :user, :key, :id, :type, :value, :confidence, :conversation, :mentions, :forgotten, :created_at,
        :updated_at, :hidden, :hidden)
ON CONFLICT (tenant_id, user_id, key) DO NOTHING;

-- name: evict_entities
-- Beyond the cap the least mentioned and oldest leave, never the one just mentioned.
DELETE FROM entities
WHERE tenant_id = :tenant AND user_id = :user AND key IN (
    SELECT key FROM entities
    WHERE tenant_id = :tenant AND user_id = :user AND key <> :keep
    ORDER BY forgotten, mentions DESC, updated_at DESC, key
    LIMIT 1000000 OFFSET :others)
RETURNING id;

-- name: entity
-- One entity by its key.
SELECT id, key, type, value, confidence, conversation_id, mentions, forgotten, created_at, updated_at, hidden
FROM entities
WHERE tenant_id = :tenant AND user_id = :user AND key = :key AND forgotten = 0;

-- name: entities
-- The most mentioned first, then the most recent.
SELECT id, key, type, value, confidence, conversation_id, mentions, forgotten, created_at, updated_at, hidden
FROM entities
WHERE tenant_id = :tenant AND user_id = :user AND forgotten = 0 AND hidden IS NULL
  AND (CAST(:type AS TEXT) IS NULL OR type = :type)
ORDER BY mentions DESC, updated_at DESC, key
LIMIT :limit;

-- name: every_entity
-- All of a user's entities, forgotten ones too.
SELECT id, key, type, value, confidence, conversation_id, mentions, forgotten, created_at, updated_at, hidden
FROM entities
WHERE tenant_id = :tenant AND user_id = :user
ORDER BY mentions DESC, updated_at DESC, key;

-- name: forget_entities
-- Lets a user's entities be known no longer: all of them, or the one that a key or an id names.
UPDATE entities SET forgotten = 1
WHERE tenant_id = :tenant AND user_id = :user AND forgotten = 0
  AND (CAST(:target AS TEXT) IS NULL OR key = :target OR id = :target)
RETURNING id, key, type, value, confidence, conversation_id, mentions, forgotten, created_at, updated_at, hidden;

-- name: restore_entities
-- Lets what was forgotten be known again, with its counts: all of it, or the one that a key or an id names.
UPDATE entities SET forgotten = 0
WHERE tenant_id = :tenant AND user_id = :user AND forgotten = 1
  AND (CAST(:target AS TEXT) IS NULL OR key = :target OR id = :target)
RETURNING id, key, type, value, confidence, conversation_id, mentions, forgotten, created_at, updated_at, hidden;

-- name: erase_entities
-- A user's entities, for good.
DELETE FROM entities WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_entities_of_conversation
-- What was last mentioned in one conversation, for good.
DELETE FROM entities WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: erase_entity_with_id
-- One entity, for good, by its id.
DELETE FROM entities WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: erase_entity
-- One entity, for good.
DELETE FROM entities WHERE tenant_id = :tenant AND user_id = :user AND key = :key;

-- name: entity_judged
-- What was judged of an entity alone.
SELECT judged FROM entities WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: hide_entity
-- What was judged of an entity alone, and why it is hidden.
UPDATE entities SET judged = :judged, hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND id = :id;
