-- name: erase_tenant_messages
-- All of a tenant in `messages`, for good.
DELETE FROM messages WHERE tenant_id = :tenant;

-- name: erase_tenant_conversations
-- All of a tenant in `conversations`, for good.
DELETE FROM conversations WHERE tenant_id = :tenant;

-- name: erase_tenant_summaries
-- All of a tenant in `summaries`, for good.
DELETE FROM summaries WHERE tenant_id = :tenant;

-- name: erase_tenant_episodes
-- All of a tenant in `episodes`, for good.
DELETE FROM episodes WHERE tenant_id = :tenant;

-- name: erase_tenant_chores
-- All of a tenant in `chores`, for good.
DELETE FROM chores WHERE tenant_id = :tenant;

-- name: erase_tenant_unread
-- All of a tenant in `unread`, for good.
DELETE FROM unread WHERE tenant_id = :tenant;

-- name: erase_tenant_memories
-- All of a tenant in `memories`, for good.
DELETE FROM memories WHERE tenant_id = :tenant;

-- name: erase_tenant_memory_spans
-- All of a tenant in `memory_spans`, for good.
DELETE FROM memory_spans WHERE tenant_id = :tenant;

-- name: erase_tenant_memory_sources
-- All of a tenant in `memory_sources`, for good.
DELETE FROM memory_sources WHERE tenant_id = :tenant;

-- name: erase_tenant_mention_sources
-- All of a tenant in `mention_sources`, for good.
DELETE FROM mention_sources WHERE tenant_id = :tenant;

-- name: erase_tenant_attempts
-- All of a tenant in `attempts`, for good.
DELETE FROM attempts WHERE tenant_id = :tenant;

-- name: erase_tenant_proposals
-- All of a tenant in `proposals`, for good.
DELETE FROM proposals WHERE tenant_id = :tenant;

-- name: erase_tenant_quarantine
-- All of a tenant in `quarantine`, for good.
DELETE FROM quarantine WHERE tenant_id = :tenant;

-- name: erase_tenant_entities
-- All of a tenant in `entities`, for good.
DELETE FROM entities WHERE tenant_id = :tenant;

-- name: erase_tenant_documents
-- All of a tenant in `documents`, for good.
DELETE FROM documents WHERE tenant_id = :tenant;

-- name: erase_tenant_index_entries
-- All of a tenant in `index_entries`, for good.
DELETE FROM index_entries WHERE tenant_id = :tenant;

-- name: erase_tenant_vectors
-- All of a tenant in `vectors`, for good.
DELETE FROM vectors WHERE tenant_id = :tenant;

-- name: erase_tenant_missions
-- All of a tenant in `missions`, for good.
DELETE FROM missions WHERE tenant_id = :tenant;

-- name: erase_tenant_mission_sections
-- All of a tenant in `mission_sections`, for good.
DELETE FROM mission_sections WHERE tenant_id = :tenant;

-- name: erase_tenant_tasks
-- All of a tenant in `tasks`, for good.
DELETE FROM tasks WHERE tenant_id = :tenant;

-- name: erase_tenant_parked
-- All of a tenant in `parked`, for good.
DELETE FROM parked WHERE tenant_id = :tenant;

-- name: erase_tenant_cursors
-- All of a tenant in `cursors`, for good.
DELETE FROM cursors WHERE tenant_id = :tenant;

-- name: erase_tenant_outbox
-- All of a tenant in `outbox`, for good.
DELETE FROM outbox WHERE tenant_id = :tenant;

-- name: erase_tenant_tenants
-- All of a tenant in `tenants`, for good.
DELETE FROM tenants WHERE tenant_id = :tenant;

-- name: erase_tenant_answers
-- All of a tenant in `answers`, for good.
DELETE FROM answers WHERE tenant_id = :tenant;

-- name: erase_tenant_usage
-- All of a tenant in `usage`, for good.
DELETE FROM usage WHERE tenant_id = :tenant;

-- name: erase_tenant_api_keys
-- All of a tenant in `api_keys`, for good.
DELETE FROM api_keys WHERE tenant_id = :tenant;

-- name: erase_tenant_accounts
-- All of a tenant in `accounts`, for good.
DELETE FROM accounts WHERE tenant_id = :tenant;

-- name: erase_tenant_audit
-- All of a tenant in `audit`, for good.
DELETE FROM audit WHERE tenant_id = :tenant;

-- name: erase_tenant_audit_heads
-- All of a tenant in `audit_heads`, for good.
DELETE FROM audit_heads WHERE tenant_id = :tenant;

-- name: erase_tenant_login_tries
-- All of a tenant in `login_tries`, for good.
DELETE FROM login_tries WHERE tenant_id = :tenant;

-- name: erase_tenant_login_sessions
-- All of a tenant in `login_sessions`, for good.
DELETE FROM login_sessions WHERE tenant_id = :tenant;

-- name: erase_tenant_login_invitations
-- All of a tenant in `login_invitations`, for good.
DELETE FROM login_invitations WHERE tenant_id = :tenant;

-- name: erase_tenant_logins
-- All of a tenant in `logins`, for good.
DELETE FROM logins WHERE tenant_id = :tenant;

-- name: erase_tenant_trends
-- All of a tenant in `trends`, for good.
DELETE FROM trends WHERE tenant_id = :tenant;
