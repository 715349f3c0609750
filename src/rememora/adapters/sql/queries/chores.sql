-- name: add_chore
-- Notes a chore; one that is noted already keeps its time.
INSERT INTO chores (tenant_id, user_id, conversation_id, kind, attempts, due_at)
VALUES (:tenant, :user, :conversation, :kind, 0, :due_at)
ON CONFLICT (tenant_id, user_id, conversation_id, kind) DO NOTHING;

-- name: claim_chore
-- Takes a chore as long as nobody else has since it was seen.
UPDATE chores SET attempts = attempts + 1, due_at = :until
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND kind = :kind
    AND due_at = :seen;

-- name: postpone_chore
-- Leaves a chore to a later time.
UPDATE chores SET due_at = :due_at
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND kind = :kind;

-- name: renew_chore
-- Starts a chore anew.
UPDATE chores SET attempts = 0, due_at = :due_at
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND kind = :kind;

-- name: finish_chore
-- One chore that is done.
DELETE FROM chores
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND kind = :kind;

-- name: remove_chores
-- Every chore of a conversation.
DELETE FROM chores
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: due_chores
-- operator: Chores of any tenant whose time has come.
SELECT tenant_id, user_id, conversation_id, kind, attempts, due_at
FROM chores
WHERE kind = :kind AND due_at <= :now
ORDER BY due_at
LIMIT :limit;

-- name: erase_chores
-- All chores of a user.
DELETE FROM chores WHERE tenant_id = :tenant AND user_id = :user;
