-- name: add_trend
-- Adds to what a day has counted.
INSERT INTO trends (tenant_id, measure, since, bucket, amount)
VALUES (:tenant, :measure, :since, :bucket, :amount)
ON CONFLICT (tenant_id, measure, since, bucket) DO UPDATE SET amount = trends.amount + excluded.amount;

-- name: raise_trend
-- The most that waited on a day.
INSERT INTO trends (tenant_id, measure, since, bucket, amount)
VALUES (:tenant, :measure, :since, :bucket, :amount)
ON CONFLICT (tenant_id, measure, since, bucket) DO UPDATE SET
    amount = CASE WHEN excluded.amount > trends.amount THEN excluded.amount ELSE trends.amount END;

-- name: trends_since
-- A tenant's figures from a day on.
SELECT measure, since, bucket, amount FROM trends
WHERE tenant_id = :tenant AND since >= :since
ORDER BY since, measure, bucket;

-- name: judged_by_day
-- A tenant's verdicts by day, reason and category, whoever they were for.
SELECT at / 86400000000 AS day, verdict, reason, COALESCE(category, ''), COUNT(*) FROM attempts
WHERE tenant_id = :tenant AND at >= :since AND at < :until
GROUP BY at / 86400000000, verdict, reason, COALESCE(category, '');

-- name: acts_by_day
-- A tenant's acts by day, among the last entries of its chain.
SELECT at / 86400000000 AS day, action, COUNT(*) FROM audit
WHERE tenant_id = :tenant AND at >= :since AND at < :until
  AND position > (SELECT COALESCE(MAX(l.position), 0) - :entries FROM audit l WHERE l.tenant_id = :tenant)
GROUP BY at / 86400000000, action;
