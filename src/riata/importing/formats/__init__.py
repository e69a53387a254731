"""How other tools write their models: one file per tool."""
