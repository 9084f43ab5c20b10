"""The query: typed filters, hybrid search, fusion, collapse, parents, citations."""
