-- name: count_vectors
-- How many vectors of one model a user has, of their own and of the tenant's, as far as it matters.
SELECT count(*) FROM (
    SELECT 1 FROM vectors v
    WHERE v.tenant_id = :tenant AND v.user_id IN (:user, :shared) AND v.model = :model LIMIT :rows) AS few;

-- name: plan_as_asked
-- operator: A plan for these very values: what is best depends on how many vectors a user has.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: search_patiently
-- operator: How thoroughly the index of neighbours looks: on until enough of the user's own are found.
SELECT set_config('hnsw.ef_search', :candidates, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', '200000', true);

-- name: nearest_of_all
-- The nearest of a user's vectors, each compared: what stands above OFFSET is done before they are put in order.
-- A vector of nothing but zeros has no direction: its distance is no number, and it is near to nothing.
SELECT mine.kind, mine.id, mine.conversation_id, 1 - mine.distance
FROM (
    SELECT v.kind, v.id, v.conversation_id, v.vector <=> :vector AS distance FROM vectors v
    WHERE v.tenant_id = :tenant AND v.user_id IN (:user, :shared) AND v.model = :model
      AND vector_dims(v.vector) = :dimension
    OFFSET 0) AS mine
WHERE mine.distance <> 'NaN'
ORDER BY mine.distance LIMIT :limit;

-- name: nearest_by_index
-- The nearest of a user's vectors: candidates from the index, in half precision, put in order exactly.
SELECT near.kind, near.id, near.conversation_id, 1 - (near.vector <=> :vector)
FROM (
    SELECT v.kind, v.id, v.conversation_id, v.vector FROM vectors v
    WHERE v.tenant_id = :tenant AND v.user_id IN (:user, :shared) AND v.model = :model
      AND vector_dims(v.vector) = {dimension}
    ORDER BY CAST(v.vector AS halfvec({dimension})) <=> CAST(:vector AS halfvec({dimension})) LIMIT :candidates) AS near
WHERE near.vector <=> :vector <> 'NaN'
ORDER BY near.vector <=> :vector LIMIT :limit;

-- name: partitions_of_vectors
-- operator: The tables beneath the table of vectors.
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = CAST('vectors' AS regclass) ORDER BY 1;

-- name: unfinished_indexes
-- operator: Indexes of neighbours whose building was broken off.
SELECT c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
WHERE NOT x.indisvalid AND c.relkind = 'i' AND c.relname LIKE 'vectors\_%near\_%';

-- name: attached_index
-- operator: Whether an index belongs to one above it.
SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relname = :name;

-- name: drop_index
-- operator: An index that is of no use.
DROP INDEX {index};

-- name: index_above
-- operator: The index of neighbours over all partitions, itself empty.
CREATE INDEX IF NOT EXISTS {index} ON ONLY vectors
USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 100)
WHERE vector_dims(vector) = {dimension};

-- name: index_table
-- operator: The index of neighbours of one table, built while others go on writing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {table}
USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 100)
WHERE vector_dims(vector) = {dimension};

-- name: attach_index
-- operator: An index of one partition goes under the one above.
ALTER INDEX {above} ATTACH PARTITION {index};
