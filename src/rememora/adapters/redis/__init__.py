"""Redis: hot copies of windows, a stream of events, a place for missions; never the only copy of memory."""
