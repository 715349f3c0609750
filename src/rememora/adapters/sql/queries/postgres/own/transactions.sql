-- name: write_for_tenant
-- operator: A transaction that writes says whose it is, then waits its turn; the limits hold for the wait as well.
SELECT set_config('statement_timeout', :statement, true), set_config('lock_timeout', :lock, true),
       set_config('idle_in_transaction_session_timeout', :idle, true),
       set_config('rememora.tenant', :tenant, true), pg_advisory_xact_lock(hashtextextended(:tenant, :seed));

-- name: read_for_tenant
-- operator: A transaction that reads says whose it is.
SELECT set_config('statement_timeout', :statement, true), set_config('rememora.tenant', :tenant, true),
       set_config('idle_in_transaction_session_timeout', :idle, true);

-- name: act_within_limits
-- operator: How long an operator's transaction may take, and wait.
SELECT set_config('statement_timeout', :statement, true), set_config('lock_timeout', :lock, true),
       set_config('idle_in_transaction_session_timeout', :idle, true),
       set_config('plan_cache_mode', 'auto', true);

-- name: act_as_operator
-- operator: An operator's transaction sees every tenant.
SET LOCAL ROLE {operator};
