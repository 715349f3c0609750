-- name: add_unread
-- Notes a message to be read; one that is noted already keeps its time.
INSERT INTO unread (tenant_id, user_id, conversation_id, message_id, attempts, due_at)
VALUES (:tenant, :user, :conversation, :message, 0, :due_at)
ON CONFLICT (tenant_id, user_id, conversation_id, message_id) DO NOTHING;

-- name: claim_unread
-- Takes a message as long as nobody else has since it was seen.
UPDATE unread SET attempts = attempts + 1, due_at = :until
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND message_id = :message
    AND due_at = :seen;

-- name: postpone_unread
-- Leaves a message that is still held to a later time.
UPDATE unread SET due_at = :due_at
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND message_id = :message
    AND due_at = :claimed;

-- name: finish_unread
-- One message that is still held, and is read.
DELETE FROM unread
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND message_id = :message
    AND due_at = :claimed;

-- name: remove_unread
-- Every unread message of a conversation.
DELETE FROM unread
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: due_unread
-- operator: Unread messages of any tenant whose time has come.
SELECT tenant_id, user_id, conversation_id, message_id, attempts, due_at
FROM unread
WHERE due_at <= :now
ORDER BY due_at, tenant_id, user_id, conversation_id, message_id
LIMIT :limit;

-- name: erase_unread
-- All unread messages of a user.
DELETE FROM unread WHERE tenant_id = :tenant AND user_id = :user;
