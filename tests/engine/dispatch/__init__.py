"""Tests of what answers in place of a function."""
