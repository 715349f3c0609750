"""What was said: record it, fold it, cut it into episodes."""
