"""Moving a home's ledger to a server: copied, compared, asked the same, and only then used."""
