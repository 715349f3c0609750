"""An approximate index of one user's vectors, in files that are mapped into memory."""
