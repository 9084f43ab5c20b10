"""The line: every stage from the estate to the live index, what it reads, what it writes, and when it must run."""
