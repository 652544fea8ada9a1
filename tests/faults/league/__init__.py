"""A league whose programs die at random: in the end it knows what the journals of its daemons know."""
