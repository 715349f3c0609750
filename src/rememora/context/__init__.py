"""Context for the model: gathered from every layer, fitted to a budget, written as data."""
