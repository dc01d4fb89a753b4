// Imported before LanceDB, which reads this when it is loaded: its warnings ("partition 12 is empty") are about
// what it does itself and say nothing to an operator. Errors come as exceptions.
process.env["LANCEDB_LOG"] ??= "error"
