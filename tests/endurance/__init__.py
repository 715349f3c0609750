"""Campaigns: one law tried a great many times from one seed, counted, and run by `make soak`.

`SOAK_SEED` gives another seed and `SOAK_SCALE` a share of the tries (0.01 to look, 1 by default, 10 for a night).
A try that does not hold is told with the seed that makes it again.
"""
