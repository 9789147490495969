"""Tests of what answers in the place of a function."""
