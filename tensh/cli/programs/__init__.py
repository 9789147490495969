"""Running a whole program: its source, the run, limits of time, and repetition when it is saved."""
