-- name: standing
-- operator: Who is connected, to what, and whether anything there would let them past the walls between tenants.
SELECT session_user, current_user, pg_backend_pid(), CAST(to_regtype('vector') AS oid),
       r.rolsuper, r.rolbypassrls, t.owns,
       COALESCE(pg_has_role(r.oid, o.oid, 'MEMBER'), false), COALESCE(pg_has_role(r.oid, o.oid, 'USAGE'), false),
       t.unlocked, to_regclass('alembic_version') IS NOT NULL,
       format('ALTER ROLE %I%s RESET role', session_user, (
           SELECT format(' IN DATABASE %I', d.datname) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
           WHERE s.setrole = r.oid AND d.datname = current_database()
             AND EXISTS (SELECT 1 FROM unnest(s.setconfig) AS each (setting) WHERE each.setting LIKE 'role=%')))
FROM pg_roles r
LEFT JOIN pg_roles o ON o.rolname = r.rolname || :suffix
CROSS JOIN (
    SELECT COALESCE(bool_or(pg_has_role(session_user, c.relowner, 'MEMBER')), false) AS owns,
           min(c.relname::text) FILTER (
               WHERE c.relname <> 'alembic_version'
                 AND (NOT (c.relrowsecurity AND c.relforcerowsecurity)
                      OR c.relispartition AND has_table_privilege(session_user, c.oid, 'SELECT, INSERT, UPDATE, DELETE')
                      OR NOT c.relispartition AND NOT EXISTS (
                          SELECT 1 FROM pg_policy p
                          WHERE p.polrelid = c.oid AND (
                              p.polpermissive AND p.polroles = '{0}' AND pg_get_expr(p.polqual, p.polrelid) = :wall
                              OR NOT EXISTS (
                                  SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id'))))
                 AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')) AS unlocked
    FROM pg_class c
    WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')) t
WHERE r.rolname = session_user;

-- name: stray_policy
-- operator: A policy that lets this role see more than the walls do, and how to drop it: any that permits is enough,
-- whatever the others say. Ours are the wall itself, word for word, and the one for this role's own operator.
SELECT CAST(c.relname AS text), CAST(p.polname AS text), format('DROP POLICY %I ON %I', p.polname, c.relname)
FROM pg_policy p
JOIN pg_class c ON c.oid = p.polrelid AND c.relnamespace = CAST(current_schema() AS regnamespace)
WHERE p.polpermissive
  AND EXISTS (
      SELECT 1 FROM unnest(p.polroles) AS whose (role)
      WHERE CASE WHEN whose.role = 0 THEN true ELSE pg_has_role(session_user, whose.role, 'MEMBER') END
        AND whose.role IS DISTINCT FROM (SELECT o.oid FROM pg_roles o WHERE o.rolname = session_user || :suffix))
  AND (p.polcmd, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
      IS DISTINCT FROM (CAST('*' AS "char"), :wall, :wall)
ORDER BY 1, 2 LIMIT 1;

-- name: schema_version
-- operator: The version of the schema.
SELECT version_num FROM alembic_version;

-- name: written_up_to
-- operator: Where the log of the primary stands.
SELECT pg_current_wal_insert_lsn() - CAST('0/0' AS pg_lsn);

-- name: replayed_up_to
-- operator: How much of the primary's log a replica has replayed; a primary says nothing.
SELECT pg_last_wal_replay_lsn() - CAST('0/0' AS pg_lsn);

-- name: listen
-- operator: Hear from now on what is told on a channel.
LISTEN {channel};

-- name: notify
-- operator: Tell whoever listens on a channel.
SELECT pg_notify(:channel, :said);
