"""Filters and functions over columns of ids, evaluated once for each distinct combination of terms."""
