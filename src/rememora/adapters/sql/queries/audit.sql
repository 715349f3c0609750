-- name: audit_head
-- The end of a tenant's chain.
SELECT position, hash, signature FROM audit_heads WHERE tenant_id = :tenant;

-- name: next_audit_position
-- Takes the next place in the chain, and holds it against other writers; returns what it follows.
INSERT INTO audit_heads (tenant_id, position, hash, signature)
VALUES (:tenant, 1, :genesis, :genesis)
ON CONFLICT (tenant_id) DO UPDATE SET position = audit_heads.position + 1
RETURNING position, hash;

-- name: sign_audit_head
-- The chain ends here now.
UPDATE audit_heads SET hash = :hash, signature = :signature
WHERE tenant_id = :tenant AND position = :position;

-- name: add_audit_entry
-- One entry at its place.
INSERT INTO audit
    (tenant_id, position, at, action, actor, owner_id, memory_id, key, why, before, after, salt, digest, hash)
VALUES (:tenant, :position, :at, :action, :actor, :owner, :memory, :key, :why, :before, :after, :salt, :digest,
        :hash);

-- name: audit_after
-- A tenant's chain, from after a place on.
SELECT position, at, action, actor, owner_id, memory_id, key, why, before, after, salt, digest, hash
FROM audit
WHERE tenant_id = :tenant AND position > :after
ORDER BY position
LIMIT :limit;

-- name: audit_before
-- A tenant's chain before a place, the newest first.
SELECT position, at, action, actor, owner_id, memory_id, key, why, before, after, salt, digest, hash
FROM audit
WHERE tenant_id = :tenant AND position < :before
ORDER BY position DESC
LIMIT :limit;

-- name: audit_of_memory
-- All that happened to one memory; its places are looked up first, or the whole chain would be read in order.
SELECT a.position, a.at, a.action, a.actor, a.owner_id, a.memory_id, a.key, a.why, a.before, a.after, a.salt,
       a.digest, a.hash
FROM audit p
CROSS JOIN audit a
WHERE p.tenant_id = :tenant AND p.memory_id = :memory AND a.tenant_id = p.tenant_id AND a.position = p.position
ORDER BY a.position;

-- name: audit_of_owner
-- All that happened to a person's memories.
SELECT position, at, action, actor, owner_id, memory_id, key, why, before, after, salt, digest, hash
FROM audit
WHERE tenant_id = :tenant AND owner_id = :user AND position > :after
ORDER BY position
LIMIT :limit;

-- name: newest_audit_of_owner
-- What happened to a person's memories before a place in the chain, the newest first.
SELECT position, at, action, actor, owner_id, memory_id, key, why, before, after, salt, digest, hash
FROM audit
WHERE tenant_id = :tenant AND owner_id = :user AND position < :before
ORDER BY position DESC
LIMIT :limit;

-- name: newest_requests
-- Erasures and looks of others among the last entries of a chain, the newest first.
SELECT position, at, action, actor, owner_id, memory_id, key, why, before, after, salt, digest, hash
FROM audit
WHERE tenant_id = :tenant AND action IN ('erase', 'read')
  AND position > (SELECT COALESCE(MAX(l.position), 0) - :entries FROM audit l WHERE l.tenant_id = :tenant)
ORDER BY position DESC
LIMIT :limit;

-- name: audit_doomed
-- Where the chain speaks of one memory.
SELECT position FROM audit
WHERE tenant_id = :tenant AND memory_id = :memory AND salt IS NOT NULL AND action <> 'erase';

-- name: audit_doomed_person
-- Where the chain speaks of a person, or was written by them about themselves.
SELECT position FROM audit
WHERE tenant_id = :tenant AND owner_id = :user AND salt IS NOT NULL AND action <> 'erase';

-- name: redact_audit_entry
-- Takes the content out of an entry; its digest stays, and the chain with it.
UPDATE audit SET actor = '', owner_id = '', memory_id = '', key = '', why = '', before = NULL, after = NULL,
                 salt = NULL
WHERE tenant_id = :tenant AND position = :position;

-- name: audit_tenants
-- operator: The tenants that have a chain, memories that one should speak of, or tries at keeping some.
SELECT tenant_id FROM audit_heads UNION SELECT tenant_id FROM audit UNION SELECT tenant_id FROM memories
UNION SELECT tenant_id FROM attempts
ORDER BY 1;

-- name: first_chain
-- operator: The first tenant that has a chain.
SELECT tenant_id FROM audit_heads ORDER BY tenant_id LIMIT 1;

-- name: memories_unaudited
-- Memories of a tenant of which no entry speaks.
SELECT COUNT(*) FROM memories m
WHERE m.tenant_id = :tenant
  AND NOT EXISTS (SELECT 1 FROM audit a WHERE a.tenant_id = m.tenant_id AND a.memory_id = m.id);
