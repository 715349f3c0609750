"""The seams: what Rememora needs from outside, as protocols."""
