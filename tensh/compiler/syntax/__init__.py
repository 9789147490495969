"""The source of functions: syntax trees, and their division where graphs end."""
