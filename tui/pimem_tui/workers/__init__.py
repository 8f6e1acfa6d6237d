"""Reading in the background, and the messages that bring the results."""
