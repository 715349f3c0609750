-- name: sources_of_message
-- Which memories came from one message.
SELECT user_id, memory_id, conversation_id, message_id, hidden FROM memory_sources
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND message_id = :message
ORDER BY memory_id;
