-- name: rows_without_parents
-- operator: Rows that belong to something that is not there, by table.
SELECT 'messages', COUNT(*) FROM messages c WHERE NOT EXISTS (
    SELECT 1 FROM conversations p
    WHERE p.tenant_id = c.tenant_id AND p.user_id = c.user_id AND p.id = c.conversation_id)
UNION ALL
SELECT 'memory_spans', COUNT(*) FROM memory_spans c WHERE NOT EXISTS (
    SELECT 1 FROM memories p WHERE p.tenant_id = c.tenant_id AND p.owner_id = c.owner_id AND p.id = c.memory_id)
UNION ALL
SELECT 'mission_sections', COUNT(*) FROM mission_sections c WHERE NOT EXISTS (
    SELECT 1 FROM missions p WHERE p.tenant_id = c.tenant_id AND p.user_id = c.user_id AND p.id = c.mission_id);
