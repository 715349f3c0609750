-- name: add_source
-- A message that a memory came from.
INSERT INTO memory_sources (tenant_id, user_id, memory_id, conversation_id, message_id, hidden)
VALUES (:tenant, :user, :memory, :conversation, :message, :hidden)
ON CONFLICT (tenant_id, user_id, memory_id, conversation_id, message_id) DO UPDATE SET hidden = excluded.hidden;

-- name: sources_of_memory
-- Which messages a memory came from.
SELECT user_id, memory_id, conversation_id, message_id, hidden FROM memory_sources
WHERE tenant_id = :tenant AND user_id = :user AND memory_id = :memory
ORDER BY conversation_id, message_id;

-- name: sources_of_message
-- Which memories came from one message. SQLite, which keeps no statistics here, would look through all sources of
-- the person: it takes them for nine.
SELECT user_id, memory_id, conversation_id, message_id, hidden
FROM memory_sources INDEXED BY memory_sources_message
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND message_id = :message
ORDER BY memory_id;

-- name: sources_of_key
-- Which messages every memory there ever was under a key came from, whoever said it.
SELECT s.user_id, s.memory_id, s.conversation_id, s.message_id, s.hidden
FROM memories m
JOIN memory_sources s ON s.tenant_id = m.tenant_id AND s.user_id = m.user_id AND s.memory_id = m.id
WHERE m.tenant_id = :tenant AND m.owner_id = :owner AND m.key = :key
ORDER BY s.conversation_id, s.message_id, s.memory_id;

-- name: mark_source
-- How a memory stands, in all of its links.
UPDATE memory_sources SET hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND memory_id = :memory;

-- name: conversation_of_message
-- The newest conversation of a user that holds a message of this id; each is looked up by its key.
SELECT c.id FROM conversations c
WHERE c.tenant_id = :tenant AND c.user_id = :user AND EXISTS (
    SELECT 1 FROM messages m
    WHERE m.tenant_id = :tenant AND m.user_id = :user AND m.conversation_id = c.id AND m.id = :message)
ORDER BY c.updated_at DESC, c.id DESC
LIMIT 1;

-- name: messages_saying
-- A user's messages that hold a text word for word.
SELECT conversation_id, id FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND content LIKE :text ESCAPE '\'
LIMIT :limit;

-- name: add_mention_source
-- One more mention of an entity in a message.
INSERT INTO mention_sources (tenant_id, user_id, key, conversation_id, message_id, times)
VALUES (:tenant, :user, :key, :conversation, :message, 1)
ON CONFLICT (tenant_id, user_id, key, conversation_id, message_id) DO UPDATE SET
    times = mention_sources.times + 1;

-- name: mentioned_in
-- Which entities were counted in a message of a conversation.
SELECT key FROM mention_sources
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND message_id = :message;

-- name: hidden_mentions
-- How many mentions of an entity stand in hidden messages.
SELECT COALESCE(SUM(s.times), 0) FROM mention_sources s
JOIN messages m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id
    AND m.conversation_id = s.conversation_id AND m.id = s.message_id
WHERE s.tenant_id = :tenant AND s.user_id = :user AND s.key = :key AND m.hidden IS NOT NULL;

-- name: forget_mentions_of
-- The counted mentions of one entity.
DELETE FROM mention_sources WHERE tenant_id = :tenant AND user_id = :user AND key = :key;

-- name: forget_stray_mentions
-- The counted mentions of entities that are not there any more.
DELETE FROM mention_sources
WHERE tenant_id = :tenant AND user_id = :user AND NOT EXISTS (
    SELECT 1 FROM entities e
    WHERE e.tenant_id = mention_sources.tenant_id AND e.user_id = mention_sources.user_id
      AND e.key = mention_sources.key);

-- name: remove_sources
-- The links of all messages of a conversation.
DELETE FROM memory_sources
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: remove_mention_sources
-- The counted mentions of all messages of a conversation.
DELETE FROM mention_sources
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: erase_source
-- The links of one memory, whoever said it.
DELETE FROM memory_sources WHERE tenant_id = :tenant AND memory_id = :memory;

-- name: erase_sources
-- Every link of a user.
DELETE FROM memory_sources WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_mention_sources
-- Every counted mention of a user.
DELETE FROM mention_sources WHERE tenant_id = :tenant AND user_id = :user;

-- name: unjudged_users
-- operator: Users with items that were stored before visibility was decided at writing.
SELECT tenant_id, user_id FROM conversations WHERE hidden = 'unjudged'
UNION
SELECT tenant_id, user_id FROM entities WHERE hidden = 'unjudged'
UNION
SELECT tenant_id, user_id FROM tasks WHERE hidden = 'unjudged'
LIMIT :limit;
