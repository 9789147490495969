"""Recorded results of programs with vmap."""
