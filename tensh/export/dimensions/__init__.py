"""Dynamic dimensions of exported programs: how they depend on each other, their ranges, names and errors."""
