"""Recorded output of scripts."""
