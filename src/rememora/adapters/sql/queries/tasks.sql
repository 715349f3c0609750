-- name: add_task
-- One task; a key that the user has used already adds nothing.
INSERT INTO tasks
    (tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
     created_at, updated_at, hidden)
VALUES (:tenant, :user, :id, :conversation, :module, :kind, :payload, :correlation, :key, :status, :attempts, :due_at,
        :created_at, :updated_at, :hidden)
ON CONFLICT (tenant_id, user_id, key) DO NOTHING;

-- name: task
-- One task by its id.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: task_with_key
-- One task by the key it was asked for under.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE tenant_id = :tenant AND user_id = :user AND key = :key;

-- name: tasks_page
-- A user's tasks, newest first.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE tenant_id = :tenant AND user_id = :user
  AND (CAST(:before AS TEXT) IS NULL OR id < :before)
  AND (CAST(:status AS TEXT) IS NULL OR status = :status)
  AND (CAST(:module AS TEXT) IS NULL OR module = :module)
ORDER BY id DESC
LIMIT :limit;

-- name: tasks_of_tenant
-- The tasks of every user of a tenant, newest first.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE tenant_id = :tenant
  AND (CAST(:before AS TEXT) IS NULL OR id < :before)
  AND (CAST(:status AS TEXT) IS NULL OR status = :status)
  AND (CAST(:module AS TEXT) IS NULL OR module = :module)
ORDER BY id DESC
LIMIT :limit;

-- name: due_tasks_of_tenant
-- A tenant's tasks that a module may take, the longest waiting first.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE tenant_id = :tenant AND module = :module AND due_at <= :now
ORDER BY due_at, id
LIMIT :limit;

-- name: task_of_tenant
-- One task, whoever of the tenant it is of.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE tenant_id = :tenant AND id = :id;

-- name: claim_task
-- Takes a task as long as nobody else has since it was seen; what has ended is due never.
UPDATE tasks SET status = 'running', attempts = :attempts, owner = :owner, due_at = :until
WHERE tenant_id = :tenant AND user_id = :user AND id = :id AND due_at = :seen;

-- name: renew_task
-- Keeps a task that is still the owner's.
UPDATE tasks SET due_at = :until
WHERE tenant_id = :tenant AND user_id = :user AND id = :id AND owner = :owner AND status = 'running';

-- name: postpone_task
-- Lets a task wait for another try.
UPDATE tasks SET status = 'waiting', attempts = :attempts, error = :error, owner = NULL, due_at = :due_at,
    updated_at = :at
WHERE tenant_id = :tenant AND user_id = :user AND id = :id AND owner = :owner AND status = 'running';

-- name: end_task
-- The one end of a task that its owner still holds.
UPDATE tasks SET status = :status, result = :result, summary = :summary, error = :error, owner = NULL, due_at = NULL,
    updated_at = :at, hidden = COALESCE(:hidden, hidden)
WHERE tenant_id = :tenant AND user_id = :user AND id = :id AND owner = :owner AND status = 'running';

-- name: end_task_of_anybody
-- The one end of a task, whoever holds it.
UPDATE tasks SET status = :status, result = :result, summary = :summary, error = :error, owner = NULL, due_at = NULL,
    updated_at = :at, hidden = COALESCE(:hidden, hidden)
WHERE tenant_id = :tenant AND user_id = :user AND id = :id AND status IN ('waiting', 'running');

-- name: erase_tasks
-- Every task of a user.
DELETE FROM tasks WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_conversation_tasks
-- Every task that came out of one conversation.
DELETE FROM tasks
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: task_texts
-- What tasks hold of content.
SELECT payload, result, summary FROM tasks
WHERE tenant_id = :tenant AND user_id = :user
  AND (CAST(:conversation AS TEXT) IS NULL OR conversation_id = :conversation);

-- name: due_tasks
-- operator: Tasks of any tenant that a module may take.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE module = :module AND due_at <= :now
ORDER BY due_at, id
LIMIT :limit;

-- name: count_tasks
-- operator: Tasks of any tenant that have not ended.
SELECT COUNT(*) FROM tasks WHERE module = :module AND due_at IS NOT NULL;

-- name: unjudged_tasks
-- Tasks of a user that were stored before visibility was decided at writing.
SELECT tenant_id, user_id, id, conversation_id, module, kind, payload, correlation_id, key, status, attempts, due_at,
       result, summary, error, created_at, updated_at, hidden
FROM tasks
WHERE tenant_id = :tenant AND user_id = :user AND hidden = 'unjudged'
LIMIT :limit;

-- name: hide_task
-- Why what a task holds is not told.
UPDATE tasks SET hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND id = :id;
