-- name: tables_with_text
-- operator: Every table of tenants' rows, with its columns that hold text or bytes.
SELECT c.relname, array_agg(CAST(a.attname AS text) ORDER BY a.attnum), array_agg(CAST(t.typname AS text) ORDER BY a.attnum)
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid AND t.typname IN ('text', 'bytea')
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('p', 'r') AND NOT c.relispartition
  AND EXISTS (SELECT 1 FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'tenant_id')
GROUP BY c.relname ORDER BY c.relname;

-- name: parts_of_tenant
-- operator: The part of every table that holds one tenant, how large it is, and whether this role may vacuum it.
WITH parts AS (
    SELECT c.oid, c.relowner
    FROM (SELECT p.oid, count(*) AS number FROM pg_class p JOIN pg_inherits i ON i.inhparent = p.oid
          WHERE p.relnamespace = CAST(current_schema() AS regnamespace) AND p.relkind = 'p' GROUP BY p.oid) p
    CROSS JOIN generate_series(0, p.number - 1) AS place
    JOIN pg_inherits i ON i.inhparent = p.oid
    JOIN pg_class c ON c.oid = i.inhrelid AND c.relname LIKE '%\_p' || place
    WHERE satisfies_hash_partition(p.oid, CAST(p.number AS int), CAST(place AS int), CAST(:tenant AS text))
    UNION ALL
    SELECT c.oid, c.relowner FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r' AND NOT c.relispartition)
SELECT CAST(CAST(oid AS regclass) AS text), pg_total_relation_size(oid),
       CASE WHEN CAST(current_setting('server_version_num') AS int) >= 170000
            THEN has_table_privilege(oid, 'MAINTAIN') ELSE pg_has_role(relowner, 'MEMBER') END
FROM parts ORDER BY 1;

-- name: transactions_begun
-- operator: Every transaction of others that may still see what is gone.
SELECT l.virtualxid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()
  AND a.datname = current_database() AND a.usesysid IS NOT NULL
UNION ALL SELECT gid FROM pg_prepared_xacts WHERE database = current_database()
UNION ALL SELECT slot_name FROM pg_replication_slots WHERE xmin IS NOT NULL;

-- name: file_of_table
-- operator: Which file a table is in: another after it was written anew.
SELECT pg_relation_filenode(CAST(:table AS regclass));

-- name: vacuum_with_indexes
-- operator: Take dead rows out of a table and its indexes.
VACUUM (INDEX_CLEANUP ON) {table};

-- name: write_anew
-- operator: Write a table anew, unless somebody has it locked.
VACUUM (FULL, SKIP_LOCKED) {table};

-- name: vacuum
-- operator: Take dead rows out of a table.
VACUUM {table};

-- name: take_all_the_time
-- operator: What this transaction asks may take as long as it takes.
SET LOCAL statement_timeout = 0;

-- name: take_all_the_time_from_now_on
-- operator: What this session asks may take as long as it takes, whatever was set for its role.
SET statement_timeout = 0;

-- name: rows_holding
-- operator: How many rows of a table, as far as the transaction's tenant sees it, hold any of these bytes.
SELECT count(*) FROM {table} AS r, LATERAL (SELECT {searched} AS body) b
WHERE EXISTS (SELECT 1 FROM unnest(CAST(:terms AS bytea[])) AS n (term) WHERE position(n.term IN b.body) > 0);

-- name: bodies_of
-- operator: All text and bytes of each row of a table, as far as the transaction's tenant sees it.
SELECT {searched} FROM {table};

-- name: text_as_bytes
-- operator: A column of text, as a part of the two above.
coalesce(convert_to({column}, 'UTF8'), '') || CAST('\x1f' AS bytea);

-- name: bytes_as_they_are
-- operator: A column of bytes, as a part of the two above.
coalesce({column}, '') || CAST('\x1f' AS bytea);
