"""Elements at given places, read and written."""
