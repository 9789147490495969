"""Tests of the recorded graph, of views and of writes in place."""
