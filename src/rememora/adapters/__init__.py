"""Engines: one module per outside technology, each behind a port, each package imported where it is used."""
