"""Run reports, plots and pages for a person to read."""
