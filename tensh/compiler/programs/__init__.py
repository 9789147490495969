"""Programs: captured lines as steps on arrays, optimized and written as Python."""
