"""What the pages about agents show: how each fares, since when, and what is found in its answers."""
