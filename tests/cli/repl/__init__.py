"""Tests of the prompt."""
