"""Configuration: the schema and one TOML file per experiment."""
