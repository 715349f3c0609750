"""Doors into other frameworks; each loads its framework when it is used, and names the extra if it is missing."""
