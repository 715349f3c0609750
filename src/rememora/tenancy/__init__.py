"""Who may come in, and how much they may use: keys, links, accounts, quotas, answers that may be repeated."""
