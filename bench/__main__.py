"""All benchmarks, one table. Run: ``make bench``."""

from bench import german, recall, vault


def main() -> None:
    """Print the table."""
    vault.measure()
    recall.measure(20_000)
    german.main()


if __name__ == "__main__":
    main()
