"""Version histories kept by Git, read with the program ``git``."""
