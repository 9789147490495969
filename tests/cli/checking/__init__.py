"""Tests of `tensh check`."""
