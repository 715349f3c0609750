"""Attacks on the product, as a suite: every probe counts its tries and its failures, and the run prints them.

A module tries one kind of attack through every door it knows: `test_linear_rules.py` texts that make a rule slow,
`test_slow_clients.py` clients that hold places without using them, `test_orders.py` orders that try to pass as
memories. A test takes the fixture `probe`, calls `probe(held)` once for each try, and fails if any did not hold.
"""
