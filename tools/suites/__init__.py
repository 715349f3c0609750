"""Runs frameworks' own test suites against our integrations; see `tools/run_suites.py`."""
