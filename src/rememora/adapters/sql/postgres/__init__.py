"""PostgreSQL with pgvector: the engine of production, many processes and many machines on one store."""
