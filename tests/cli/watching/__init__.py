"""Tests of event files."""
