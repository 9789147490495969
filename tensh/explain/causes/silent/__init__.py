"""Statements without the intended effect, which do not fail themselves."""
