"""Tests of documents in files."""
