"""Gold questions, metrics, and the verdict on a candidate build."""
