-- name: lock_migration
-- operator: One migration at a time.
SELECT pg_advisory_xact_lock(:number);

-- name: role_names
-- operator: Every role there is.
SELECT rolname FROM pg_roles;

-- name: may_create_roles
-- operator: Whether this role may create others.
SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user;

-- name: bypasses
-- operator: Whether this role sees past row-level security.
SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user;

-- name: is_member
-- operator: Whether a role may put on another.
SELECT pg_has_role(CAST(:role AS name), CAST(:operator AS name), 'MEMBER');

-- name: server_version
-- operator: The server's version, as one number.
SELECT CAST(current_setting('server_version_num') AS int);

-- name: create_role
-- operator: A role that is missing.
CREATE ROLE {role} {options};

-- name: grant_role
-- operator: Let a role put on another.
GRANT {role} TO {to} {options};

-- name: revoke_role
-- operator: Take from a role the right to put on another.
REVOKE {role} FROM {to};

-- name: this_schema
-- operator: Where the tables are.
SELECT current_schema();

-- name: grant_schema
-- operator: Let a role see what is in a schema.
GRANT USAGE ON SCHEMA {schema} TO {role};

-- name: every_table
-- operator: Every table, whether it is a partition, whether it is closed, whether it has tenants, and its policies.
SELECT c.relname, c.relispartition, c.relrowsecurity AND c.relforcerowsecurity,
       EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id'),
       ARRAY(SELECT CAST(polname AS text) FROM pg_policy p WHERE p.polrelid = c.oid)
FROM pg_class c
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relname;

-- name: force_security
-- operator: Row-level security for everybody, the owner included.
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- name: revoke_everything
-- operator: Nobody touches a partition but through the table above it.
REVOKE ALL ON {table} FROM PUBLIC, {role}, {operator};

-- name: hold_to_tenant
-- operator: The wall: a transaction sees and writes the rows of its tenant.
CREATE POLICY of_tenant ON {table}
USING (tenant_id = current_setting('rememora.tenant', true))
WITH CHECK (tenant_id = current_setting('rememora.tenant', true));

-- name: let_operator
-- operator: An operator's transaction sees and writes every row.
CREATE POLICY {operator} ON {table} TO {operator} USING (true) WITH CHECK (true);

-- name: grant_rights
-- operator: What a role may do with a table.
GRANT {rights} ON {table} TO {role};
