-- name: window_edition
-- Which state of a conversation this is: how much was said, its last deletion and its user's, the newest message.
SELECT c.messages,
       COALESCE((SELECT g.number FROM index_entries g
                 WHERE g.tenant_id = :tenant AND g.user_id = :user AND g.kind = 'conversation'
                   AND g.conversation_id = :conversation AND g.id = ''), 0),
       COALESCE((SELECT r.number FROM index_entries r
                 WHERE r.tenant_id = :tenant AND r.user_id = :user AND r.kind = 'reset'
                   AND r.conversation_id = '' AND r.id = ''), 0),
       COALESCE((SELECT m.id FROM messages m
                 WHERE m.tenant_id = :tenant AND m.user_id = :user AND m.conversation_id = :conversation
                   AND m.seq = c.messages), '')
FROM conversations c
WHERE c.tenant_id = :tenant AND c.user_id = :user AND c.id = :conversation;
