"""What is known: keep it, ask about it, correct it, and let it go for good."""
