"""Notes that teach: observations while code runs, the conditions of each note, and its text."""
