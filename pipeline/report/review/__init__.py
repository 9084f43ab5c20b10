"""The review report: pages to read by hand, with verdicts that become an error table."""
