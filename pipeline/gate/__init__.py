"""Page scores, routing, the exception register."""
