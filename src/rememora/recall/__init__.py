"""Finds what of a user's memory answers a question, without a language model in the path."""
