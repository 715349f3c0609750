-- name: add_mission
-- A new mission; what it holds is in its sections.
INSERT INTO missions
    (tenant_id, user_id, id, session_id, status, revision, created_at, expires_at, closed_at)
VALUES (:tenant, :user, :mission, :session, :status, :revision, :created_at, :expires_at, :closed_at);

-- name: put_mission_section
-- One section, new or instead of what it was.
INSERT INTO mission_sections (tenant_id, user_id, mission_id, section, body)
VALUES (:tenant, :user, :mission, :section, :body)
ON CONFLICT (tenant_id, user_id, mission_id, section) DO UPDATE SET body = excluded.body;

-- name: mission
-- One mission that has not outlived its time, a row for each section.
SELECT m.session_id, m.status, m.revision, m.created_at, m.expires_at, m.closed_at, s.section, s.body
FROM missions m
JOIN mission_sections s ON s.tenant_id = m.tenant_id AND s.user_id = m.user_id AND s.mission_id = m.id
WHERE m.tenant_id = :tenant AND m.user_id = :user AND m.id = :mission AND m.expires_at > :now;

-- name: mission_to_change
-- The same, held until the transaction ends where the engine has many writers.
SELECT m.session_id, m.status, m.revision, m.created_at, m.expires_at, m.closed_at, s.section, s.body
FROM missions m
JOIN mission_sections s ON s.tenant_id = m.tenant_id AND s.user_id = m.user_id AND s.mission_id = m.id
WHERE m.tenant_id = :tenant AND m.user_id = :user AND m.id = :mission AND m.expires_at > :now;

-- name: mark_mission
-- How the mission stands after a change; the revision tells changes apart.
UPDATE missions SET status = :status, closed_at = :closed_at, revision = revision + 1
WHERE tenant_id = :tenant AND user_id = :user AND id = :mission AND revision = :revision;

-- name: active_missions
-- A user's active missions, newest first.
SELECT tenant_id, user_id, id
FROM missions
WHERE tenant_id = :tenant AND user_id = :user AND status = 'active' AND expires_at > :now
  AND (CAST(:session AS TEXT) IS NULL OR session_id = :session)
ORDER BY created_at DESC, id DESC
LIMIT :limit;

-- name: remove_mission_sections
-- Everything a mission holds.
DELETE FROM mission_sections
WHERE tenant_id = :tenant AND user_id = :user AND mission_id = :mission;

-- name: remove_mission
-- The mission itself; says where it was held.
DELETE FROM missions
WHERE tenant_id = :tenant AND user_id = :user AND id = :mission
  AND (CAST(:session AS TEXT) IS NULL OR session_id = :session)
RETURNING session_id;

-- name: erase_mission_sections
-- What a user's missions hold, or every user's, all of them or those of one conversation, for good.
DELETE FROM mission_sections
WHERE tenant_id = :tenant AND (:user = '*' OR user_id = :user) AND mission_id IN (
    SELECT id FROM missions
    WHERE tenant_id = :tenant AND (:user = '*' OR user_id = :user)
      AND (CAST(:session AS TEXT) IS NULL OR session_id = :session));

-- name: erase_missions
-- A user's missions, or every user's, all of them or those of one conversation, for good.
DELETE FROM missions
WHERE tenant_id = :tenant AND (:user = '*' OR user_id = :user)
  AND (CAST(:session AS TEXT) IS NULL OR session_id = :session);

-- name: remove_outlived_sections
-- What the tenant's missions hold that have outlived their time.
DELETE FROM mission_sections
WHERE tenant_id = :tenant AND (user_id, mission_id) IN (
    SELECT user_id, id FROM missions WHERE tenant_id = :tenant AND expires_at <= :now);

-- name: remove_outlived_missions
-- The tenant's missions that have outlived their time.
DELETE FROM missions
WHERE tenant_id = :tenant AND expires_at <= :now;

-- name: active_missions_everywhere
-- operator: Live missions of every tenant, newest first.
SELECT tenant_id, user_id, id
FROM missions
WHERE status = 'active' AND expires_at > :now
ORDER BY created_at DESC, id DESC
LIMIT :limit;

-- name: due_missions
-- operator: Missions of every tenant whose time has come, oldest first.
SELECT tenant_id, user_id, session_id, id, status, expires_at <= :now
FROM missions
WHERE expires_at <= :now
   OR (status = 'active' AND created_at <= :active_before)
   OR (status = 'completed' AND closed_at <= :completed_before)
   OR (status IN ('timeout', 'failed') AND closed_at <= :closed_before)
ORDER BY created_at, id
LIMIT :limit;
