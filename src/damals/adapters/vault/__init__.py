"""Markdown vaults: reading files, frontmatter and links, and cutting text into chunks."""

from damals.adapters.vault.chunker import MarkdownChunker
from damals.adapters.vault.reader import VaultReader

__all__ = ["MarkdownChunker", "VaultReader"]
