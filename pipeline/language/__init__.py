"""Casing, detection, sentences and search analysis of Turkish, German and English."""
