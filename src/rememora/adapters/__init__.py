"""The engines: one module or folder per outside technology."""
