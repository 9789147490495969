"""Tests of programs that are run."""
