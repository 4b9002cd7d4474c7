"""Schemas, datatypes, conditions and values as plain objects."""
