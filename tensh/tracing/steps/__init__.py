"""Public functions that are several operators in a trace: a module for each family, and a ``table`` of all."""
