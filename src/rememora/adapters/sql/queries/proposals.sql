-- name: add_proposal
-- One question to the person.
INSERT INTO proposals
    (tenant_id, user_id, id, kind, asks, key, value, candidates, wish, reason, status,
     created_at, expires_at)
VALUES (:tenant, :user, :id, :kind, :asks, :key, :value, :candidates, :wish, :reason, :status,
        :created_at, :expires_at);

-- name: proposal
-- One question.
SELECT id, kind, asks, key, value, candidates, wish, reason, status, created_at, expires_at
FROM proposals
WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: proposals_of_user
-- A user's questions, oldest first.
SELECT id, kind, asks, key, value, candidates, wish, reason, status, created_at, expires_at
FROM proposals
WHERE tenant_id = :tenant AND user_id = :user AND (CAST(:status AS TEXT) IS NULL OR status = :status)
ORDER BY id;

-- name: close_proposal
-- The question has its answer, unless it had one already.
UPDATE proposals SET status = :status
WHERE tenant_id = :tenant AND user_id = :user AND id = :id AND status = 'open';

-- name: expire_proposals
-- Questions whose time has passed.
UPDATE proposals SET status = 'expired'
WHERE tenant_id = :tenant AND user_id = :user AND status = 'open' AND expires_at <= :now;

-- name: erase_proposals
-- A user's questions, for good.
DELETE FROM proposals WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_proposal
-- One question, for good.
DELETE FROM proposals WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: add_quarantined
-- Text kept apart.
INSERT INTO quarantine
    (tenant_id, user_id, id, content, reason, wish, origin, source_ref, conversation_id, status, created_at,
     reviewed_at, reviewed_by)
VALUES (:tenant, :user, :id, :text, :reason, :wish, :origin, :source_ref, :conversation, :status, :created_at,
        :reviewed_at, :reviewed_by);

-- name: quarantined_of_tenant
-- What a tenant's reviewer has to look at, oldest first.
SELECT user_id, id, content, reason, wish, origin, source_ref, conversation_id, status, created_at, reviewed_at,
       reviewed_by
FROM quarantine
WHERE tenant_id = :tenant AND (CAST(:status AS TEXT) IS NULL OR status = :status) AND id > :after
ORDER BY id
LIMIT :limit;

-- name: quarantined_of_user
-- What of one person is kept apart.
SELECT user_id, id, content, reason, wish, origin, source_ref, conversation_id, status, created_at, reviewed_at,
       reviewed_by
FROM quarantine
WHERE tenant_id = :tenant AND user_id = :user
ORDER BY id;

-- name: quarantined
-- One text kept apart.
SELECT user_id, id, content, reason, wish, origin, source_ref, conversation_id, status, created_at, reviewed_at,
       reviewed_by
FROM quarantine
WHERE tenant_id = :tenant AND id = :id;

-- name: review_quarantined
-- The reviewer's word, unless there was one already.
UPDATE quarantine SET status = :status, reviewed_at = :at, reviewed_by = :by
WHERE tenant_id = :tenant AND id = :id AND status = 'held';

-- name: erase_quarantine
-- What of a person was kept apart, for good.
DELETE FROM quarantine WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_quarantined
-- One text kept apart, for good.
DELETE FROM quarantine WHERE tenant_id = :tenant AND user_id = :user AND id = :id;
