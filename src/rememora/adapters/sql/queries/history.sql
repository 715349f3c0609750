-- name: reserve_places
-- Opens the conversation where needed and counts the new messages in; the returned count ends at the last place.
INSERT INTO conversations
    (tenant_id, user_id, id, channel, messages, turns, counted, edition, metadata, created_at, updated_at, hidden)
VALUES (:tenant, :user, :conversation, :channel, :messages, :turns, :counted, :edition, NULL, :first, :last, NULL)
ON CONFLICT (tenant_id, user_id, id) DO UPDATE SET
    edition = excluded.edition,
    edition_before = conversations.edition,
    counted = CASE WHEN conversations.counted = conversations.messages
                   THEN conversations.messages + excluded.counted ELSE conversations.counted END,
    messages = conversations.messages + excluded.messages,
    turns = conversations.turns + excluded.turns,
    created_at = CASE WHEN conversations.messages > 0 AND conversations.created_at <= excluded.created_at
                      THEN conversations.created_at ELSE excluded.created_at END,
    updated_at = CASE WHEN conversations.messages > 0 AND conversations.updated_at >= excluded.updated_at
                      THEN conversations.updated_at ELSE excluded.updated_at END
RETURNING id, channel, messages, turns, folded, cut, counted, metadata, created_at, updated_at, hidden;

-- name: describe_conversation
-- Creates the conversation or changes what is said about it; NULL leaves a field as it is.
INSERT INTO conversations
    (tenant_id, user_id, id, channel, messages, turns, metadata, created_at, updated_at, hidden)
VALUES (:tenant, :user, :conversation, COALESCE(:channel, 'chat'), 0, 0, :metadata, :at, :at, :hidden)
ON CONFLICT (tenant_id, user_id, id) DO UPDATE SET
    channel = COALESCE(:channel, conversations.channel),
    metadata = COALESCE(:metadata, conversations.metadata),
    hidden = CASE WHEN CAST(:metadata AS TEXT) IS NULL OR conversations.hidden = 'unjudged' THEN conversations.hidden
                  ELSE excluded.hidden END
RETURNING id, channel, messages, turns, folded, cut, counted, metadata, created_at, updated_at, hidden;

-- name: conversation
-- One conversation.
SELECT id, channel, messages, turns, folded, cut, counted, metadata, created_at, updated_at, hidden
FROM conversations
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation;

-- name: newest_conversations
-- A user's conversations by last activity.
SELECT id, channel, messages, turns, folded, cut, counted, metadata, created_at, updated_at, hidden
FROM conversations
WHERE tenant_id = :tenant AND user_id = :user
ORDER BY updated_at DESC, id DESC
LIMIT :limit;

-- name: newest_conversations_before
-- The same, from after the last one of the page before.
SELECT id, channel, messages, turns, folded, cut, counted, metadata, created_at, updated_at, hidden
FROM conversations
WHERE tenant_id = :tenant AND user_id = :user AND (updated_at, id) < (:before_at, :before_id)
ORDER BY updated_at DESC, id DESC
LIMIT :limit;

-- name: mark_folded
-- How many turns the summary covers.
UPDATE conversations SET folded = :folded
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation;

-- name: mark_cut
-- Moves the end of the last episode, if it still is where the caller saw it.
UPDATE conversations SET cut = :cut
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation AND cut = :before;

-- name: mark_counted
-- Moves the end of what is counted, if it still is where the caller saw it.
UPDATE conversations SET counted = :counted
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation AND counted = :before;

-- name: count_no_further
-- What a user said so far is not looked through for mentions any more.
UPDATE conversations SET counted = messages
WHERE tenant_id = :tenant AND user_id = :user AND counted < messages;

-- name: remove_conversation
-- The conversation itself; what hangs on it has queries of its own.
DELETE FROM conversations
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation;

-- name: add_message
-- One message at its place.
INSERT INTO messages
    (tenant_id, user_id, conversation_id, seq, id, role, content, modality, attachments, metadata, created_at,
     judged, hidden, shown)
VALUES (:tenant, :user, :conversation, :seq, :id, :role, :content, :modality, :attachments, :metadata, :created_at,
        :hidden, :hidden, :shown);

-- name: add_messages
-- Many messages at their places, in one go.
INSERT INTO messages
    (tenant_id, user_id, conversation_id, seq, id, role, content, modality, attachments, metadata, created_at,
     judged, hidden, shown)
SELECT :tenant, :user, :conversation, json_extract(value, '$.seq'), json_extract(value, '$.id'),
       json_extract(value, '$.role'), json_extract(value, '$.content'), json_extract(value, '$.modality'),
       json_extract(value, '$.attachments'), json_extract(value, '$.metadata'), json_extract(value, '$.created_at'),
       json_extract(value, '$.hidden'), json_extract(value, '$.hidden'), json_extract(value, '$.shown')
FROM json_each(:messages);

-- name: message_with_id
-- The message a caller's id stands for.
SELECT seq, id, role, content, modality, attachments, metadata, created_at, hidden, shown
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND id = :id;

-- name: newest_messages
-- The newest messages under a place.
SELECT seq, id, role, content, modality, attachments, metadata, created_at, hidden, shown
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND seq < :before
ORDER BY seq DESC
LIMIT :limit;

-- name: messages_after
-- The oldest messages above a place.
SELECT seq, id, role, content, modality, attachments, metadata, created_at, hidden, shown
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND seq > :seq
ORDER BY seq
LIMIT :limit;

-- name: newest_turns
-- The newest messages but the system's.
SELECT seq, id, role, content, modality, attachments, metadata, created_at, hidden, shown
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND role <> 'system'
ORDER BY seq DESC
LIMIT :limit;

-- name: turns_after
-- The oldest messages but the system's above a place.
SELECT seq, id, role, content, modality, attachments, metadata, created_at, hidden, shown
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND seq > :seq
    AND role <> 'system'
ORDER BY seq
LIMIT :limit;

-- name: count_turns_after
-- How many messages but the system's stand above a place.
SELECT COUNT(*)
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND seq > :seq
    AND role <> 'system';

-- name: message_mark
-- How a message stands: its place, what was judged of it alone, and why it is hidden.
SELECT seq, role, judged, hidden FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND id = :id;

-- name: judge_message
-- What was judged of a message alone, and its text with secrets masked.
UPDATE messages SET judged = :judged, shown = :shown
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND id = :id;

-- name: hide_message
-- Why a message is hidden; NULL lets it be told.
UPDATE messages SET hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND id = :id;

-- name: unjudged_messages
-- The oldest messages of a conversation that were stored before visibility was decided at writing.
SELECT seq, id, role, content, modality, attachments, metadata, created_at, hidden, shown
FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND seq > :seq
    AND judged = 'unjudged'
ORDER BY seq
LIMIT :limit;

-- name: unjudged_conversations
-- The conversations of a user that were stored before visibility was decided at writing.
SELECT id, channel, messages, turns, folded, cut, counted, metadata, created_at, updated_at, hidden
FROM conversations
WHERE tenant_id = :tenant AND user_id = :user AND hidden = 'unjudged'
ORDER BY id
LIMIT :limit;

-- name: hide_conversation
-- Why what a conversation says of itself is not told.
UPDATE conversations SET hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation;

-- name: renew_edition
-- Another state of a conversation, so that no copy of its window counts any more.
UPDATE conversations SET edition_before = edition, edition = :edition
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation;

-- name: remove_messages
-- All messages of a conversation.
DELETE FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: erase_messages
-- All that a user ever said or was told.
DELETE FROM messages WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_conversations
-- All conversations of a user.
DELETE FROM conversations WHERE tenant_id = :tenant AND user_id = :user;

-- name: message_texts
-- What was said in one conversation, or in all of a user's.
SELECT content FROM messages
WHERE tenant_id = :tenant AND user_id = :user AND (CAST(:conversation AS TEXT) IS NULL OR conversation_id = :conversation)
LIMIT :limit;
