"""Tests, in folders that mirror the code: README.md says which holds what."""
