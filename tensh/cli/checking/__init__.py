"""Checking documents: their code runs again, and what it shows is compared with what is stored."""
