"""Calls in scripts: of operators, functions, methods and classes."""
