"""Elements and statistics of values, descriptions, safe reprs, and the names of the caller."""
