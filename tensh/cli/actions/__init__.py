"""The work of the smaller commands: one module each."""
