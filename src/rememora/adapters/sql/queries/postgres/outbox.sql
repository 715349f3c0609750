-- name: claim_subscriber
-- operator: Takes the right to relay, unless another process holds it, or is about to: nobody waits for that one.
UPDATE subscribers SET lease_owner = :owner, lease_until = :until, seen_at = :now
WHERE name = (
    SELECT name FROM subscribers
    WHERE name = :name AND (lease_owner IS NULL OR lease_owner = :owner OR lease_until < :now)
    FOR UPDATE SKIP LOCKED);
