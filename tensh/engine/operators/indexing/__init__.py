"""Reading and writing elements at given positions."""
