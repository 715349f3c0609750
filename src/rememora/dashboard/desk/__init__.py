"""The operator's desk: a tenant's use, keys, gate, held texts, events, tasks and audit, behind an API key."""
