"""`tensh launch`: one program in several processes, which MPI starts (`launcher`), and what each does first (`__main__`)."""
