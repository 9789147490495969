"""Recorded explanations of mistakes."""
