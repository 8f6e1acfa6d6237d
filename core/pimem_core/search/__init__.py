"""Finding topics by what is in them. It knows no system and opens only the files it is given."""
