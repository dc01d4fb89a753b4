// `npm run dev`: the appliance under `node --watch`, which starts it again when a file of the source changes.
// Node has watched processes tell their parent what they import. The appliance's own processes inherit that, and their
// parent, the supervisor, takes what is said to it for its own messages.
delete process.env.WATCH_REPORT_DEPENDENCIES
process.argv.push("start")
await import("./fossick.js")
