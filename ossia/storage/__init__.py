"""Where runs are kept: SQLite files in folders, or a PostgreSQL database."""
