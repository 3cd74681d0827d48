"""From a saved run and a review to numbers."""
