"""A language pack of Italian: data only, and never imported by Rememora."""
