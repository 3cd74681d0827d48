"""From numbers to pictures; knows no Keras."""
