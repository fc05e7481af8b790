"""Figures of the site: each module draws one SVG from the reference."""
