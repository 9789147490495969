"""Checking documents: their code runs again, and its output is compared with the stored one."""
