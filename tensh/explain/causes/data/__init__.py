"""Data that does not fit: batches, datasets, files, and targets of losses."""
