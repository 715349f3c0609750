"""The seams: what the verbs need of the outside, as Protocols."""
