-- name: judged_after
-- A tenant's tries at keeping something, whoever made them, from after a place on.
SELECT user_id, id, at, verdict, reason, source
FROM attempts
WHERE tenant_id = :tenant AND (user_id, id) > (:whose, :id)
ORDER BY user_id, id
LIMIT :limit;

-- name: known_after
-- A tenant's memories, whosesoever they are and however they stand, from after a place on.
SELECT owner_id, id, created_at, category, status, source, supersedes
FROM memories
WHERE tenant_id = :tenant AND (owner_id, id) > (:whose, :id)
ORDER BY owner_id, id
LIMIT :limit;
