"""The one ranking: pure functions from a user's index and a question to hits with their reasons; no I/O."""
