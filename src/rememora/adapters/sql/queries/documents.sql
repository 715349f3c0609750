-- name: document
-- One document by its id.
SELECT space, key, value, version, created_at, updated_at, expires_at
FROM documents
WHERE tenant_id = :tenant AND user_id = :user AND space = :space AND id = :id;

-- name: put_document
-- Writes a document in place of the one with its id, and counts its version.
INSERT INTO documents (tenant_id, user_id, space, id, key, value, version, created_at, updated_at, expires_at)
VALUES (:tenant, :user, :space, :id, :key, :value, 1, :at, :at, :expires_at)
ON CONFLICT (tenant_id, user_id, space, id) DO UPDATE SET
    value = excluded.value,
    version = documents.version + 1,
    updated_at = excluded.updated_at,
    expires_at = excluded.expires_at
RETURNING space, key, value, version, created_at, updated_at, expires_at;

-- name: add_document
-- A document as another store had it, unless one with its id is here.
INSERT INTO documents (tenant_id, user_id, space, id, key, value, version, created_at, updated_at, expires_at)
VALUES (:tenant, :user, :space, :id, :key, :value, :version, :created_at, :updated_at, :expires_at)
ON CONFLICT (tenant_id, user_id, space, id) DO NOTHING;

-- name: prolong_document
-- Lets a document expire at another time.
UPDATE documents SET expires_at = :expires_at
WHERE tenant_id = :tenant AND user_id = :user AND space = :space AND id = :id;

-- name: documents
-- A page of a user's documents of one space whose keys begin alike.
SELECT space, key, value, version, created_at, updated_at, expires_at
FROM documents
WHERE tenant_id = :tenant AND user_id = :user AND space = :space AND id > :after
  AND key >= :prefix AND key < :end
ORDER BY id
LIMIT :limit;

-- name: every_document
-- All documents of a user.
SELECT space, key, value, version, created_at, updated_at, expires_at
FROM documents
WHERE tenant_id = :tenant AND user_id = :user
ORDER BY space, id;

-- name: remove_document
-- One document, for good.
DELETE FROM documents WHERE tenant_id = :tenant AND user_id = :user AND space = :space AND id = :id;

-- name: expire_documents
-- A user's documents of one space whose time is over, for good.
DELETE FROM documents
WHERE tenant_id = :tenant AND user_id = :user AND space = :space AND expires_at <= :now;

-- name: outlived_documents
-- operator: Whose documents of which space have some whose time is over.
SELECT DISTINCT tenant_id, user_id, space FROM documents
WHERE expires_at <= :now
LIMIT :limit;

-- name: document_texts
-- The texts of all documents of a user.
SELECT value FROM documents WHERE tenant_id = :tenant AND user_id = :user;

-- name: document_texts_of
-- The texts of the documents that are named after a memory.
SELECT value FROM documents WHERE tenant_id = :tenant AND user_id = :user AND key = :key;

-- name: erase_documents
-- All documents of a user, for good.
DELETE FROM documents WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_documents_of
-- The documents that are named after a memory, for good.
DELETE FROM documents WHERE tenant_id = :tenant AND user_id = :user AND key = :key;
