"""The figures; one module each, and the style that they share."""
