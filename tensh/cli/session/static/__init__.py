"""The meaning of a name or an expression, as far as it is known without running anything."""
