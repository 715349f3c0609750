"""What the model gets: gathered from every layer, fitted to a budget, written down as data."""
