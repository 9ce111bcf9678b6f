"""Text for the lexical leg: words, stems, character grams."""
