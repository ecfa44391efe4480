"""Adapters that put the games into the interfaces of other libraries."""
