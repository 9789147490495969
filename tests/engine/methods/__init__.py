"""Tests of creation, conversion, printing and Python's protocols."""
