"""What is recorded, and the pass back through it."""
