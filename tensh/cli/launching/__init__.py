"""`tensh launch`: one program in several processes: MPI starts them (`launcher`), and each runs `__main__`."""
