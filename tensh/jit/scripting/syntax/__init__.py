"""Python's syntax in scripts: statements and expressions, by the class of their syntax."""
