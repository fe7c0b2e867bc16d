"""The action table, the rules that allow its rows, and what they do."""
