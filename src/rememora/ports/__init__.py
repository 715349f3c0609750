"""Seams, as Protocols."""
