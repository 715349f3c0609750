-- name: read_whole_table
-- operator: Reads every value of a table, those that are stored apart as well.
SELECT count(*), sum(length(CAST(whole AS text))) FROM {table} AS whole;

-- name: may_check_indexes
-- operator: Whether the extension amcheck is here and may be used by whoever asks.
SELECT COALESCE(has_function_privilege(to_regprocedure('bt_index_check(regclass)'), 'EXECUTE'), false);

-- name: ordered_indexes
-- operator: Every index that amcheck can look into.
SELECT CAST(CAST(c.oid AS regclass) AS text)
FROM pg_class c
JOIN pg_am a ON a.oid = c.relam AND a.amname = 'btree'
JOIN pg_index i ON i.indexrelid = c.oid AND i.indisvalid
WHERE c.relkind = 'i' AND c.relnamespace = CAST(current_schema() AS regnamespace)
ORDER BY 1;

-- name: check_index
-- operator: Fails where an index is not in order.
SELECT bt_index_check(CAST(:index AS regclass));
