"""Running a whole program: what it is, how it runs, how long it may take, again when it is saved."""
