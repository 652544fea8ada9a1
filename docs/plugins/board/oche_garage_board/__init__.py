"""Profiles of boards for oche: data only."""
