"""Tests of tensh.explain."""
