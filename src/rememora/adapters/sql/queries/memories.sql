-- name: add_memory
-- One memory; the database refuses a second active one under its key.
INSERT INTO memories
    (tenant_id, owner_id, id, user_id, scope, category, key, value, confidence, status, source, source_ref,
     conversation_id, origin, suppressed, supersedes, evidence, subject, attribute, attribute_start,
     attribute_end, valid_from, valid_to, follows, because, doubted_at, doubted_by, created_at, updated_at)
VALUES (:tenant, :owner, :id, :user, :scope, :category, :key, :value, :confidence, :status, :source, :source_ref,
        :conversation, :origin, :suppressed, :supersedes, :evidence, :subject, :attribute, :attribute_start,
        :attribute_end, :valid_from, :valid_to, :follows, :because, :doubted_at, :doubted_by, :created_at, :updated_at);

-- name: memory
-- One memory that the user may read: their own, or one that the tenant shares.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*') AND id = :id;

-- name: memories_with_ids
-- Several memories that the user may read.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*') AND id IN (SELECT value FROM json_each(:ids));

-- name: outdated_memories
-- What a user's own memories said that were replaced or are in doubt.
SELECT value, evidence, status, doubted_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id = :user
  AND (status = 'deprecated' OR (status = 'active' AND doubted_at IS NOT NULL))
ORDER BY key, id
LIMIT :limit;

-- name: memories_learned_from
-- How the memories stand that came from some messages, each named with its conversation. Joined in this order (CROSS):
-- SQLite would otherwise look through all sources of the person for each message.
SELECT s.message_id, m.value, m.evidence, m.status, m.doubted_at, m.updated_at
FROM json_each(:messages) AS named
CROSS JOIN memory_sources s ON s.tenant_id = :tenant AND s.user_id = :user
  AND s.conversation_id = json_extract(named.value, '$[0]') AND s.message_id = json_extract(named.value, '$[1]')
CROSS JOIN memories m ON m.tenant_id = :tenant AND m.owner_id IN (:user, '*') AND m.id = s.memory_id
ORDER BY s.message_id, m.id;

-- name: active_memory
-- The one active memory under a key.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id = :owner AND key = :key AND status = 'active';

-- name: memories_page
-- What the user may read, narrowed; `prefix` ends at a segment, never inside one ('/' follows '.').
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*')
  AND key >= :first AND key < :last AND (key, id) > (:after_key, :after_id)
  AND (CAST(:prefix AS TEXT) IS NULL OR key = :prefix OR (key > :prefix || '.' AND key < :prefix || '/'))
  AND (CAST(:category AS TEXT) IS NULL OR category = :category)
  AND (CAST(:scope AS TEXT) IS NULL OR scope = :scope)
  AND (CAST(:source AS TEXT) IS NULL OR source = :source)
  AND (CAST(:status AS TEXT) IS NULL OR status = :status)
  AND (CAST(:conversation AS TEXT) IS NULL OR conversation_id = :conversation)
  AND (CAST(:suppressed AS INTEGER) IS NULL OR suppressed = :suppressed)
ORDER BY key, id
LIMIT :limit;

-- name: newest_memories
-- The newest active memories of one or two owners.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, :other) AND status = 'active'
ORDER BY created_at DESC, id DESC
LIMIT :limit;

-- name: mentionable_memories
-- How many memories the user may be told of, counted no further than a limit.
SELECT COUNT(*) FROM (
    SELECT 1 FROM memories
    WHERE tenant_id = :tenant AND owner_id IN (:user, '*') AND status = 'active' AND suppressed = 0 LIMIT :limit) AS told;

-- name: memories_as_of
-- What was active at a moment.
SELECT m.user_id, m.id, m.scope, m.category, m.key, m.value, m.confidence, 'active', m.source, m.source_ref,
       m.conversation_id, m.origin, m.suppressed, m.supersedes, m.evidence, m.subject, m.attribute,
       m.attribute_start, m.attribute_end, m.valid_from, m.valid_to, m.follows, m.because, m.doubted_at, m.doubted_by, m.created_at, m.updated_at
FROM memory_spans s
JOIN memories m ON m.tenant_id = s.tenant_id AND m.owner_id = s.owner_id AND m.id = s.memory_id
WHERE s.tenant_id = :tenant AND s.owner_id IN (:user, '*')
  AND s.since <= :at AND (s.until IS NULL OR s.until > :at)
ORDER BY m.key, m.id;

-- name: set_memory_status
-- A memory comes or goes; its value stays.
UPDATE memories SET status = :status, updated_at = :at
WHERE tenant_id = :tenant AND owner_id = :owner AND id = :id;

-- name: set_memory_doubt
-- Whether a memory may no longer hold, since when, and which change says so.
UPDATE memories SET doubted_at = :doubted_at, doubted_by = :doubted_by, updated_at = :at
WHERE tenant_id = :tenant AND owner_id = :owner AND id = :id;

-- name: memory_successors
-- The memories that took the place of one, or of a part of it.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id = :owner AND (supersedes = :id OR follows = :id)
ORDER BY created_at, id;

-- name: succeeded_memories
-- Those of some memories that another took the place of, in whole or in part; each is looked up by its key.
SELECT m.supersedes FROM json_each(:ids) AS named
CROSS JOIN memories m ON m.tenant_id = :tenant AND m.owner_id IN (:user, '*') AND m.supersedes = named.value
UNION
SELECT m.follows FROM json_each(:ids) AS named
CROSS JOIN memories m ON m.tenant_id = :tenant AND m.owner_id IN (:user, '*') AND m.follows = named.value;

-- name: memories_resting_on
-- The active memories that a change put in doubt, those that a rule made, and those that changed a part of it.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id = :owner AND (because = :id OR doubted_by = :id OR follows = :id)
  AND status = 'active'
ORDER BY created_at, id;

-- name: set_memory_suppressed
-- Whether a memory may be mentioned.
UPDATE memories SET suppressed = :suppressed, updated_at = :at
WHERE tenant_id = :tenant AND owner_id = :owner AND id = :id;

-- name: open_span
-- From now on it is known; never from before the last time ended that anything stood under its key.
INSERT INTO memory_spans (tenant_id, owner_id, memory_id, since, until)
SELECT :tenant, :owner, :id, CASE WHEN before.ended > :at THEN before.ended ELSE :at END, NULL
FROM (SELECT MAX(COALESCE(s.until, s.since)) AS ended
      FROM memories m
      JOIN memory_spans s ON s.tenant_id = m.tenant_id AND s.owner_id = m.owner_id AND s.memory_id = m.id
      WHERE m.tenant_id = :tenant AND m.owner_id = :owner AND m.key = :key) AS before
WHERE true
ON CONFLICT (tenant_id, owner_id, memory_id, since) DO UPDATE SET until = NULL;

-- name: close_span
-- From now on it is not; a clock that went back ends it where it began.
UPDATE memory_spans SET until = CASE WHEN since > :at THEN since ELSE :at END
WHERE tenant_id = :tenant AND owner_id = :owner AND memory_id = :id AND until IS NULL;

-- name: key_spans
-- When anything was active under a key.
SELECT s.since, s.until
FROM memories m
JOIN memory_spans s ON s.tenant_id = m.tenant_id AND s.owner_id = m.owner_id AND s.memory_id = m.id
WHERE m.tenant_id = :tenant AND m.owner_id = :owner AND m.key = :key
ORDER BY s.since;

-- name: add_span
-- A stretch of time as another store had it.
INSERT INTO memory_spans (tenant_id, owner_id, memory_id, since, until)
VALUES (:tenant, :owner, :id, :since, :until)
ON CONFLICT (tenant_id, owner_id, memory_id, since) DO NOTHING;

-- name: memory_spans
-- When a memory was active.
SELECT since, until FROM memory_spans
WHERE tenant_id = :tenant AND owner_id = :owner AND memory_id = :id
ORDER BY since;

-- name: erase_memory
-- A memory, for good; shared ones only where the tenant shares them.
DELETE FROM memories
WHERE tenant_id = :tenant AND owner_id IN (:user, '*') AND id = :id;

-- name: forget_author
-- What a tenant shares outlives the one who wrote it; their name does not.
UPDATE memories SET user_id = '' WHERE tenant_id = :tenant AND owner_id = '*' AND user_id = :user;

-- name: erase_spans
-- The times of a memory, for good.
DELETE FROM memory_spans
WHERE tenant_id = :tenant AND owner_id IN (:user, '*') AND memory_id = :id;

-- name: add_attempt
-- One try at keeping something.
INSERT INTO attempts
    (tenant_id, user_id, id, at, worthy, verdict, reason, key, category, source, memory_id)
VALUES (:tenant, :user, :id, :at, :worthy, :verdict, :reason, :key, :category, :source, :memory);

-- name: newest_attempts
-- A user's latest tries.
SELECT id, at, worthy, verdict, reason, key, category, source, memory_id
FROM attempts
WHERE tenant_id = :tenant AND user_id = :user
ORDER BY id DESC
LIMIT :limit;

-- name: count_attempts
-- How often each verdict and reason was given in a tenant.
SELECT verdict, reason, COUNT(*) FROM attempts
WHERE tenant_id = :tenant
GROUP BY verdict, reason
ORDER BY verdict, reason;

-- name: erase_attempts
-- A user's tries, for good.
DELETE FROM attempts WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_attempts_at
-- The tries at one key, for good.
DELETE FROM attempts WHERE tenant_id = :tenant AND user_id = :user AND key = :key;

-- name: old_attempts
-- operator: Tries from before a moment.
SELECT tenant_id, user_id, id FROM attempts
WHERE at < :before
LIMIT :limit;

-- name: forget_attempt
-- One try, for good.
DELETE FROM attempts WHERE tenant_id = :tenant AND user_id = :user AND id = :id;

-- name: memories_of_key
-- Every memory there ever was under a key, however it stands.
SELECT user_id, id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin,
       suppressed, supersedes, evidence, subject, attribute, attribute_start, attribute_end, valid_from, valid_to,
       follows, because, doubted_at, doubted_by, created_at, updated_at
FROM memories
WHERE tenant_id = :tenant AND owner_id = :owner AND key = :key
ORDER BY id;

-- name: agents_of_user
-- The names under which agents keep memories of their own about a user; a name is compared from its first character
-- on, because the order of names differs between engines.
SELECT user_id FROM conversations WHERE tenant_id = :tenant AND substr(user_id, 1, length(CAST(:first AS TEXT))) = :first
UNION
SELECT owner_id FROM memories WHERE tenant_id = :tenant AND substr(owner_id, 1, length(CAST(:first AS TEXT))) = :first
UNION
SELECT user_id FROM entities WHERE tenant_id = :tenant AND substr(user_id, 1, length(CAST(:first AS TEXT))) = :first
UNION
SELECT user_id FROM documents WHERE tenant_id = :tenant AND substr(user_id, 1, length(CAST(:first AS TEXT))) = :first
UNION
SELECT user_id FROM attempts WHERE tenant_id = :tenant AND substr(user_id, 1, length(CAST(:first AS TEXT))) = :first
UNION
SELECT user_id FROM quarantine WHERE tenant_id = :tenant AND substr(user_id, 1, length(CAST(:first AS TEXT))) = :first
UNION
SELECT user_id FROM tasks WHERE tenant_id = :tenant AND substr(user_id, 1, length(CAST(:first AS TEXT))) = :first
UNION
SELECT user_id FROM missions WHERE tenant_id = :tenant AND substr(user_id, 1, length(CAST(:first AS TEXT))) = :first
ORDER BY 1;
