-- name: logins
-- A tenant's accounts, by name.
SELECT tenant_id, id, name, role, user_id, created_at, used_at FROM logins
WHERE tenant_id = :tenant
ORDER BY name;

-- name: login_named
-- One account of a tenant, with the hash of its password.
SELECT tenant_id, id, name, role, user_id, created_at, used_at, password FROM logins
WHERE tenant_id = :tenant AND name = :name;

-- name: put_login
-- Opens an account, or gives it another password and role.
INSERT INTO logins (tenant_id, id, name, role, user_id, password, created_at, used_at)
VALUES (:tenant, :id, :name, :role, :user, :password, :created_at, NULL)
ON CONFLICT (tenant_id, id) DO UPDATE SET
    role = excluded.role, user_id = excluded.user_id, password = excluded.password;

-- name: touch_login
-- When an account was last signed in to.
UPDATE logins SET used_at = :at WHERE tenant_id = :tenant AND id = :id;

-- name: end_login
-- Removes an account.
DELETE FROM logins WHERE tenant_id = :tenant AND id = :id;

-- name: erase_logins
-- Removes the accounts of one person.
DELETE FROM logins WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_login_sessions
-- Removes the sessions of one person's accounts.
DELETE FROM login_sessions
WHERE tenant_id = :tenant
  AND login_id IN (SELECT l.id FROM logins l WHERE l.tenant_id = :tenant AND l.user_id = :user);

-- name: erase_login_invitations
-- Removes the invitations of one person.
DELETE FROM login_invitations WHERE tenant_id = :tenant AND user_id = :user;

-- name: find_logins
-- operator: Accounts of one name in any tenant, with the standing of the tenant: the password tells which is meant.
SELECT l.tenant_id, l.id, l.name, l.role, l.user_id, l.created_at, l.used_at, l.password, COALESCE(a.status, 'active')
FROM logins l
LEFT JOIN accounts a ON a.tenant_id = l.tenant_id
WHERE l.name = :name
ORDER BY l.tenant_id
LIMIT :limit;

-- name: add_login_invitation
-- A chance to open an account; only the hash of its token is kept.
INSERT INTO login_invitations (tenant_id, id, digest, role, user_id, name, created_by, created_at, expires_at)
VALUES (:tenant, :id, :digest, :role, :user, :name, :created_by, :created_at, :expires_at);

-- name: login_invitations
-- A tenant's invitations, newest first.
SELECT tenant_id, id, role, user_id, name, created_by, created_at, expires_at FROM login_invitations
WHERE tenant_id = :tenant
ORDER BY created_at DESC, id DESC;

-- name: find_login_invitation
-- operator: An invitation by its public id: the token tells whose it is.
SELECT tenant_id, id, role, user_id, name, created_by, created_at, expires_at, digest FROM login_invitations
WHERE id = :id;

-- name: spend_login_invitation
-- Removes an invitation that is used or withdrawn.
DELETE FROM login_invitations WHERE tenant_id = :tenant AND id = :id;

-- name: add_login_session
-- Somebody signed in.
INSERT INTO login_sessions
    (tenant_id, id, digest, login_id, created_at, seen_at, glass_tenant, glass_reason, glass_until)
VALUES (:tenant, :id, :digest, :login, :created_at, :seen_at, '', '', NULL);

-- name: find_login_session
-- operator: A session by its public id, with its account and the standing of its tenant: the token tells whose it is.
SELECT s.tenant_id, s.id, s.login_id, s.created_at, s.seen_at, s.glass_tenant, s.glass_reason, s.glass_until, s.digest,
       COALESCE(a.status, 'active'), l.tenant_id, l.id, l.name, l.role, l.user_id, l.created_at, l.used_at
FROM login_sessions s
JOIN logins l ON l.tenant_id = s.tenant_id AND l.id = s.login_id
LEFT JOIN accounts a ON a.tenant_id = s.tenant_id
WHERE s.id = :id;

-- name: put_login_session
-- When a session was last seen, and the broken glass.
UPDATE login_sessions
SET seen_at = :seen_at, glass_tenant = :glass_tenant, glass_reason = :glass_reason, glass_until = :glass_until
WHERE tenant_id = :tenant AND id = :id;

-- name: end_login_sessions
-- Ends every session of an account, or only one of them.
DELETE FROM login_sessions
WHERE tenant_id = :tenant AND login_id = :login AND (CAST(:only AS TEXT) IS NULL OR id = :only);

-- name: count_login_try
-- Counts a try at signing in from a place, and tells how many there were.
INSERT INTO login_tries (tenant_id, place, since, tries)
VALUES (:tenant, :place, :since, :amount)
ON CONFLICT (tenant_id, place, since) DO UPDATE SET tries = login_tries.tries + excluded.tries
RETURNING tries;

-- name: forget_login_sessions
-- operator: Drops sessions that nobody was seen in.
DELETE FROM login_sessions WHERE seen_at < :before;

-- name: forget_login_tries
-- operator: Drops tries that are no longer counted.
DELETE FROM login_tries WHERE since < :before;

-- name: forget_login_invitations
-- operator: Drops invitations that are late.
DELETE FROM login_invitations WHERE expires_at < :now;
