"""What the smaller commands do: one module each."""
