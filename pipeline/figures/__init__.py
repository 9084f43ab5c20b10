"""Descriptions of figures by a vision model."""
