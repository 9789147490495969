"""Tests of sessions and their commands."""
