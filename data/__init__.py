"""Where reviews come from and how text becomes ids. Imports no TensorFlow at import time."""
