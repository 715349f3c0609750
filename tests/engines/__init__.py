"""Real engines for tests: each starts by itself from a package, on a private port, in a folder of its own."""
