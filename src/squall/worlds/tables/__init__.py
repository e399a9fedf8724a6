"""Rows, where they are kept, and how they change: records, tables, transactions, the ledger."""
