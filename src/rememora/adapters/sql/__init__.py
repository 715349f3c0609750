"""One SQL store for every SQL engine: repositories over named queries."""
