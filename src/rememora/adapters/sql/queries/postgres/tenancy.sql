-- name: count_usage
-- Counts into the window that the tenant's plan has for a meter, of those that began at the given times.
INSERT INTO usage (tenant_id, meter, since, used)
SELECT :tenant, :meter,
       CASE CAST(a.plan AS json) -> CAST(:meter AS text) ->> 'per'
           WHEN 'minute' THEN :minute WHEN 'hour' THEN :hour WHEN 'day' THEN :day ELSE :month END,
       :amount
FROM (SELECT 1) AS one LEFT JOIN accounts a ON a.tenant_id = :tenant
ON CONFLICT (tenant_id, meter, since) DO UPDATE SET used = usage.used + excluded.used
RETURNING used, (SELECT p.plan FROM accounts p WHERE p.tenant_id = :tenant);
