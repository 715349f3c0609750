"""The ports: what the verbs need of the outside, as Protocols."""
