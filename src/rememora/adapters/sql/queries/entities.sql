-- name: mention_entity
-- Counts a mention in the same statement that stores it.
INSERT INTO entities
    (tenant_id, user_id, key, id, type, value, confidence, conversation_id, mentions, created_at, updated_at)
VALUES (:tenant, :user, :key, :id, :type, :value, :confidence, :conversation, 1, :at, :at)
ON CONFLICT (tenant_id, user_id, key) DO UPDATE SET
    type = excluded.type,
    value = excluded.value,
    confidence = excluded.confidence,
    conversation_id = CASE WHEN excluded.conversation_id = '' THEN entities.conversation_id
                           ELSE excluded.conversation_id END,
    mentions = entities.mentions + 1,
    updated_at = CASE WHEN excluded.updated_at > entities.updated_at THEN excluded.updated_at
                      ELSE entities.updated_at END
RETURNING id, key, type, value, confidence, conversation_id, mentions, created_at, updated_at;

-- name: add_entity
-- An entity as another store had it, unless it is here.
INSERT INTO entities
    (tenant_id, user_id, key, id, type, value, confidence, conversation_id, mentions, created_at, updated_at)
VALUES (:tenant, :user, :key, :id, :type, :value, :confidence, :conversation, :mentions, :created_at, :updated_at)
ON CONFLICT (tenant_id, user_id, key) DO NOTHING;

-- name: evict_entities
-- Beyond the cap the least mentioned and oldest leave, never the one just mentioned.
DELETE FROM entities
WHERE tenant_id = :tenant AND user_id = :user AND key IN (
    SELECT key FROM entities
    WHERE tenant_id = :tenant AND user_id = :user AND key <> :keep
    ORDER BY mentions DESC, updated_at DESC, key
    LIMIT 1000000 OFFSET :others)
RETURNING id;

-- name: entity
-- One entity by its key.
SELECT id, key, type, value, confidence, conversation_id, mentions, created_at, updated_at
FROM entities
WHERE tenant_id = :tenant AND user_id = :user AND key = :key;

-- name: entities
-- The most mentioned first, then the most recent.
SELECT id, key, type, value, confidence, conversation_id, mentions, created_at, updated_at
FROM entities
WHERE tenant_id = :tenant AND user_id = :user AND (CAST(:type AS TEXT) IS NULL OR type = :type)
ORDER BY mentions DESC, updated_at DESC, key
LIMIT :limit;

-- name: erase_entities
-- A user's entities, for good.
DELETE FROM entities WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_entities_of_conversation
-- What was last mentioned in one conversation, for good.
DELETE FROM entities WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: erase_entity
-- One entity, for good.
DELETE FROM entities WHERE tenant_id = :tenant AND user_id = :user AND key = :key;
