"""Training of the offline reader: labelled messages in, weights out."""
