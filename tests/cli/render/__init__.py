"""Tests of terminal output."""
