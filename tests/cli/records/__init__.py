"""Tests of `--json`."""
