"""Notes that teach: what is watched while code runs, what counts as a finding, and the words of each note."""
