-- name: memories_with_ids
-- Several memories that the user may read.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*')
  AND id = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS json))));

-- name: memories_learned_from
-- How the memories stand that came from some messages, each named with its conversation.
SELECT s.message_id, m.value, m.evidence, m.status, m.doubted_at, m.updated_at
FROM json_array_elements(CAST(:messages AS json)) AS named
JOIN memory_sources s ON s.tenant_id = :tenant AND s.user_id = :user
  AND s.conversation_id = named ->> 0 AND s.message_id = named ->> 1
JOIN memories m ON m.tenant_id = :tenant AND m.owner_id IN (:user, '*') AND m.id = s.memory_id
ORDER BY s.message_id, m.id;

-- name: succeeded_memories
-- Those of some memories that another took the place of, in whole or in part.
SELECT supersedes FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*')
  AND supersedes = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS json))))
UNION
SELECT follows FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*')
  AND follows = ANY (ARRAY(SELECT json_array_elements_text(CAST(:ids AS json))));
