"""Versioned migrations, forward and back; loaded only when migrating."""
