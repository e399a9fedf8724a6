"""HTTP/1.1 down to the byte, for a provider that must be able to break off anywhere."""
