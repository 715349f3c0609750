-- name: transfer_progress
-- operator: How far each table of an unfinished transfer into this store is.
SELECT name, origin, place, copied, done FROM transfers ORDER BY name;

-- name: begin_transfer
-- operator: Nothing of a table is copied yet.
INSERT INTO transfers (name, origin, place, copied, done) VALUES (:name, :origin, NULL, 0, 0);

-- name: advance_transfer
-- operator: One more page of a table is copied, unless somebody else copied it first.
UPDATE transfers SET place = :place, copied = copied + :rows, done = :done
WHERE name = :name AND copied = :seen AND done = 0;

-- name: restart_transfer
-- operator: A table is to be copied anew.
UPDATE transfers SET place = NULL, copied = 0, done = 0 WHERE name = :name;

-- name: end_transfer
-- operator: Everything is copied and compared.
DELETE FROM transfers;
