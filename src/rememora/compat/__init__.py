"""Other products' interfaces over Rememora, so that a program switches by one import."""
