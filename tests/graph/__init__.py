"""Tests of tensh.graph."""
