-- name: create_partition
-- operator: One of the tables beneath a table, for tenants of one remainder.
CREATE TABLE {partition} PARTITION OF {table} FOR VALUES WITH (MODULUS {number}, REMAINDER {place});

-- name: has_tables
-- operator: Whether the store has its tables yet.
SELECT to_regclass('conversations') IS NOT NULL;

-- name: count_partitions
-- operator: In how many partitions the tables stand.
SELECT count(*) FROM pg_inherits WHERE inhparent = CAST('conversations' AS regclass);

-- name: has_models
-- operator: Whether the store knows of models yet.
SELECT to_regclass('embedding_model') IS NOT NULL;

-- name: largest_dimension
-- operator: The most numbers that a vector of the store has.
SELECT max(dimension) FROM embedding_model;
