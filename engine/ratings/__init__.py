"""How strong players are, by whom they have beaten and by their own darts. Pure: the same matches give the same."""
