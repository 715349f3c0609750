-- name: window_edition
-- Which state of a conversation this is, and which it took the place of.
SELECT messages, edition, edition_before
FROM conversations
WHERE tenant_id = :tenant AND user_id = :user AND id = :conversation;
