"""What happened, told outside: at least once, in order per conversation."""
