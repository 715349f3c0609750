-- Spreads Rememora over a Citus cluster, by tenant: each key starts with tenant_id, so a tenant's rows
-- lie on one node and a transaction of one tenant stays there. Written by `make schema`.
-- Run it once as the owner, in an empty database that was migrated with `rememora migrate --partitions 0`.
CREATE EXTENSION IF NOT EXISTS citus;
SELECT create_distributed_table('accounts', 'tenant_id');
SELECT create_distributed_table('answers', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('api_keys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('attempts', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('audit', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('audit_heads', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('chores', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('conversations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('cursors', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('documents', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('entities', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('episodes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('index_entries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('memories', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('memory_sources', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('memory_spans', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('mention_sources', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('messages', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('mission_sections', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('missions', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('outbox', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('parked', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('proposals', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('quarantine', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('summaries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tasks', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tenants', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('usage', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('vectors', 'tenant_id', colocate_with => 'accounts');
SELECT create_reference_table('embedding_model');
SELECT create_reference_table('leases');
SELECT create_reference_table('subscribers');
SELECT create_reference_table('transfers');
