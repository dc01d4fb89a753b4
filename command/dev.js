// `npm run dev`: runs the appliance under `node --watch`, which restarts it when a source file changes.
// Node makes watched processes report their imports to their parent process. The appliance's own processes inherit this,
// and their parent, the supervisor, would mistake these reports for its own messages.
delete process.env.WATCH_REPORT_DEPENDENCIES
process.argv.push("start")
await import("./fossick.js")
