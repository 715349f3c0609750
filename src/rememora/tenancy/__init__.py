"""Access control and usage: keys, links, accounts, quotas, and repeatable answers."""
