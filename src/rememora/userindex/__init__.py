"""One user's memory as arrays: rows, postings, neighbours, vectors, and how they are saved; no I/O."""
