-- name: memories_with_ids
-- Several memories that the user may read.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, valid_from, valid_to, follows, because, doubted_at,
       doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*')
  AND id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS json))));
