"""DuckDB (extra `duckdb`): a file of vectors that follows the store, and tables for looking at how memory does."""
