"""Visibility: what may be told is decided in the transaction that writes it, and stored with the item."""
