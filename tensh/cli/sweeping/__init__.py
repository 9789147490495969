"""`tensh sweep`: many runs of one script on the cores of this machine or on a cluster, collected in one file."""
