"""Nouns, frozen and pure."""
