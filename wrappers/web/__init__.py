"""A table that people sit down at: in a browser, from several browsers, or in a terminal."""
