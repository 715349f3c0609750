-- name: add_key
-- A new credential; only the hash of its secret is kept.
INSERT INTO api_keys
    (tenant_id, id, digest, role, user_id, label, created_at, expires_at, revoked_at, used_at, successor, modules)
VALUES (:tenant, :id, :digest, :role, :user, :label, :created_at, :expires_at, NULL, NULL, NULL, :modules);

-- name: tenant_keys
-- A tenant's keys, newest first.
SELECT tenant_id, id, role, user_id, label, created_at, expires_at, revoked_at, used_at, successor, modules
FROM api_keys
WHERE tenant_id = :tenant
ORDER BY created_at DESC, id DESC;

-- name: tenant_key
-- One key of a tenant.
SELECT tenant_id, id, role, user_id, label, created_at, expires_at, revoked_at, used_at, successor, modules
FROM api_keys
WHERE tenant_id = :tenant AND id = :id;

-- name: put_key
-- When a key expires, whether it is revoked, and what follows it.
UPDATE api_keys SET expires_at = :expires_at, revoked_at = :revoked_at, successor = :successor
WHERE tenant_id = :tenant AND id = :id;

-- name: people_held
-- operator: The first people of whom something is held, whosever tenant they are in.
SELECT tenant_id, user_id FROM conversations
UNION
SELECT tenant_id, owner_id FROM memories WHERE owner_id <> :shared
UNION
SELECT tenant_id, user_id FROM documents
ORDER BY 1, 2
LIMIT :limit;

-- name: tenant_users
-- Whoever in a tenant has talked.
SELECT DISTINCT user_id FROM conversations WHERE tenant_id = :tenant;

-- name: tenant_is_known
-- Whether anything is stored of a tenant.
SELECT EXISTS (SELECT 1 FROM conversations WHERE tenant_id = :tenant)
    OR EXISTS (SELECT 1 FROM memories WHERE tenant_id = :tenant)
    OR EXISTS (SELECT 1 FROM entities WHERE tenant_id = :tenant)
    OR EXISTS (SELECT 1 FROM documents WHERE tenant_id = :tenant)
    OR EXISTS (SELECT 1 FROM missions WHERE tenant_id = :tenant)
    OR EXISTS (SELECT 1 FROM tasks WHERE tenant_id = :tenant)
    OR EXISTS (SELECT 1 FROM audit_heads WHERE tenant_id = :tenant);

-- name: tenants_without_account
-- operator: The tenants of which something is stored, and for which nobody has opened an account.
SELECT tenant_id FROM (
    SELECT tenant_id FROM conversations UNION SELECT tenant_id FROM memories UNION SELECT tenant_id FROM entities
    UNION SELECT tenant_id FROM missions UNION SELECT tenant_id FROM tasks UNION SELECT tenant_id FROM audit_heads
    UNION SELECT tenant_id FROM documents
) AS stored
WHERE tenant_id <> '*' AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.tenant_id = stored.tenant_id)
ORDER BY 1;

-- name: find_key
-- operator: A key by its public id, with the standing of its tenant: the credential tells whose it is.
SELECT k.tenant_id, k.id, k.role, k.user_id, k.label, k.created_at, k.expires_at, k.revoked_at, k.used_at, k.successor,
       k.modules, k.digest, COALESCE(a.status, 'active')
FROM api_keys k
LEFT JOIN accounts a ON a.tenant_id = k.tenant_id
WHERE k.id = :id;

-- name: touch_key
-- operator: Roughly when a key was last used.
UPDATE api_keys SET used_at = :at WHERE id = :id;

-- name: add_account
-- operator: A tenant's account.
INSERT INTO accounts (tenant_id, name, status, plan, link_secret, created_at, updated_at)
VALUES (:tenant, :name, :status, :plan, :secret, :created_at, :updated_at)
ON CONFLICT (tenant_id) DO UPDATE SET
    name = excluded.name, status = excluded.status, plan = excluded.plan, link_secret = excluded.link_secret,
    updated_at = excluded.updated_at;

-- name: change_account
-- operator: Another name, standing or plan.
UPDATE accounts SET name = :name, status = :status, plan = :plan, updated_at = :updated_at
WHERE tenant_id = :tenant;

-- name: account
-- operator: One tenant's account.
SELECT tenant_id, name, status, plan, created_at, updated_at FROM accounts WHERE tenant_id = :tenant;

-- name: accounts_after
-- operator: Accounts by id.
SELECT tenant_id, name, status, plan, created_at, updated_at FROM accounts
WHERE tenant_id > :after
ORDER BY tenant_id
LIMIT :limit;

-- name: tenant_plan
-- The plan a tenant is on.
SELECT plan FROM accounts WHERE tenant_id = :tenant;

-- name: link_secret
-- What a tenant's links are signed with.
SELECT link_secret FROM accounts WHERE tenant_id = :tenant;

-- name: count_usage
-- Counts into the window that the tenant's plan has for a meter, of those that began at the given times.
INSERT INTO usage (tenant_id, meter, since, used)
SELECT :tenant, :meter,
       CASE json_extract(a.plan, '$.' || :meter || '.per')
           WHEN 'minute' THEN :minute WHEN 'hour' THEN :hour WHEN 'day' THEN :day ELSE :month END,
       :amount
FROM (SELECT 1) AS one LEFT JOIN accounts a ON a.tenant_id = :tenant
WHERE true
ON CONFLICT (tenant_id, meter, since) DO UPDATE SET used = usage.used + excluded.used
RETURNING used, (SELECT p.plan FROM accounts p WHERE p.tenant_id = :tenant);

-- name: take_usage
-- Counts into a window.
INSERT INTO usage (tenant_id, meter, since, used)
VALUES (:tenant, :meter, :since, :amount)
ON CONFLICT (tenant_id, meter, since) DO UPDATE SET used = usage.used + excluded.used
RETURNING used;

-- name: used
-- What a window holds.
SELECT used FROM usage WHERE tenant_id = :tenant AND meter = :meter AND since = :since;

-- name: used_now
-- operator: What the present windows of every tenant hold.
SELECT tenant_id, meter, MAX(used) FROM usage
WHERE since IN (:minute, :hour, :day, :month)
GROUP BY tenant_id, meter;

-- name: answer
-- What a request was answered; without a status its writes may be noted, but not its answer.
SELECT fingerprint, begun_at, status, body FROM answers
WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: answer_steps
-- The writes that were done under an idempotency key.
SELECT fingerprint, steps FROM answers
WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: note_steps
-- Notes the writes done under an idempotency key, inside the transaction of the last of them.
INSERT INTO answers (tenant_id, user_id, id, fingerprint, begun_at, status, body, steps)
VALUES (:tenant, :user, :id, :fingerprint, :begun_at, NULL, NULL, :steps)
ON CONFLICT (tenant_id, user_id, id) DO UPDATE SET steps = excluded.steps;

-- name: settle_answer
-- The answer under an idempotency key.
INSERT INTO answers (tenant_id, user_id, id, fingerprint, begun_at, status, body, steps)
VALUES (:tenant, :user, :id, :fingerprint, :begun_at, :status, :body, NULL)
ON CONFLICT (tenant_id, user_id, id) DO UPDATE SET status = excluded.status, body = excluded.body;

-- name: spend_once
-- Notes that a single-use token was used, where it was not.
INSERT INTO answers (tenant_id, user_id, id, fingerprint, begun_at, status, body, steps)
VALUES (:tenant, :user, :id, :fingerprint, :begun_at, NULL, NULL, NULL)
ON CONFLICT (tenant_id, user_id, id) DO NOTHING;

-- name: erase_answers
-- Every stored answer to a user.
DELETE FROM answers WHERE tenant_id = :tenant AND user_id = :user;

-- name: forget_answers
-- operator: Drops answers that nobody will ask for again.
DELETE FROM answers WHERE begun_at < :before;
