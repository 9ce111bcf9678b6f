// Filled by the graph page.
