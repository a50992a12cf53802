"""Closures that are given by their labels instead of computed."""


class LabelsError(ValueError):
    """Labels that are not those of the closure of their edges; says why."""
