"""Recorded exact values of special functions."""
