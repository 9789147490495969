"""Switching recording off and on: as context managers, as decorators, as functions."""
