"""Modules that any part of tensh may use, and that do not know tensors: text that people read, files, and names."""
