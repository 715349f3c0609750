"""Access control and usage: keys, links, accounts, quotas, and idempotent requests."""
