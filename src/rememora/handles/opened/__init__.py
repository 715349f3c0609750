"""The nouns of an opened store, for all its tenants: events, modules, sessions, credentials, health."""
