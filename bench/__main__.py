"""All benchmarks, one table. Run: ``make bench``; ``make bench-large`` for larger ledgers."""

from bench import german, hygiene, ledger, recall, serving, temporal, vault, vault_import, web


def main() -> None:
    """Print the table."""
    vault.measure()
    vault_import.measure()
    recall.measure(20_000)
    ledger.measure(ledger.sizes())
    hygiene.measure()
    serving.measure()
    web.measure()
    temporal.measure()
    german.main()


if __name__ == "__main__":
    main()
