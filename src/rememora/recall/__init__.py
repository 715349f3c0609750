"""Finding what matters: the ranking, pure and without input or output; numpy loads with its modules."""
