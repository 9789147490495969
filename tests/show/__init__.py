"""Tests of tensh.show."""
