"""Contacts and what they cost: who touches whom when, and the energy lost."""
