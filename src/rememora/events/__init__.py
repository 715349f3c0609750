"""Event delivery: at least once, in order per conversation."""
