"""Checking documents: run their code again and compare its output with the stored output."""
