"""Pages, tables, text measured in columns, colours, blocks and pixels, which all views consist of."""
