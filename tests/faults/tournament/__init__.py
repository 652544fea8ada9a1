"""A tournament while its daemons and their broker die at random: nothing is lost, doubled or decided otherwise."""
