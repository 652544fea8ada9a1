"""Clips: a short film or a still of a moment, as a camera page has sent it, kept beside its match."""
