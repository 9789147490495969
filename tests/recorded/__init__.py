"""Recorded answers, a folder for each family: cases, answers, and how they are recorded."""
