// Must be imported before LanceDB, which reads this setting when it is loaded: its warnings ("partition 12 is empty")
// are about its own internals and mean nothing to an operator. Errors arrive as exceptions.
process.env["LANCEDB_LOG"] ??= "error"
