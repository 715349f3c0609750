"""Visibility: decided in the transaction that writes an item, and stored with it."""
