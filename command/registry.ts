import type { Registry } from "./spec.ts"

/** Every command, in the order of the help. */
export const COMMANDS: Registry = {
  start: {
    summary: "start the appliance",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/start.ts")).start,
  },
  service: {
    summary: "run the appliance as a systemd service",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/service.ts")).service,
  },
  doctor: {
    summary: "check for problems, and say what to do",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/doctor.ts")).doctor,
  },
  backup: {
    summary: "write everything that the appliance stores into one file",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/backup.ts")).backup,
  },
  backups: {
    summary: "show the scheduled backups, and make one now",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/backups.ts")).backups,
  },
  alerts: {
    summary: "test the receivers of alerts",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/alerts.ts")).alerts,
  },
  restore: {
    summary: "restore a backup",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/restore.ts")).restore,
  },
  state: {
    summary: "move keys, sources, jobs and usage into PostgreSQL, or back",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/state.ts")).state,
  },
  verify: {
    summary: "check a release, or an installation, against its signature",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/verify.ts")).verify,
  },
  outbound: {
    summary: "show the hosts that the appliance connected to",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/outbound.ts")).outbound,
  },
  crawl: {
    summary: "crawl a site into the index",
    group: "Pages",
    load: async () => (await import("./commands/pages/crawl.ts")).crawl,
  },
  search: {
    summary: "search the index",
    group: "Pages",
    load: async () => (await import("./commands/pages/search.ts")).search,
  },
  sources: {
    summary: "declare what is crawled, and when",
    group: "Pages",
    load: async () => (await import("./commands/pages/sources.ts")).sources,
  },
  jobs: {
    summary: "show, pause, resume and cancel crawls",
    group: "Pages",
    load: async () => (await import("./commands/pages/jobs.ts")).jobs,
  },
  removals: {
    summary: "decide on pages that seem to be gone, and restore removed ones",
    group: "Pages",
    load: async () => (await import("./commands/pages/removals.ts")).removals,
  },
  why: {
    summary: "show why a page is or is not found",
    group: "Pages",
    load: async () => (await import("./commands/pages/why.ts")).why,
  },
  try: {
    summary: "read one page and show what would be indexed",
    group: "Pages",
    load: async () => (await import("./commands/pages/try.ts")).tryPage,
  },
  keys: {
    summary: "make, list and disable API keys",
    group: "Access and usage",
    load: async () => (await import("./commands/callers/keys.ts")).keys,
  },
  collections: {
    summary: "name sets of sources that keys can be limited to",
    group: "Access and usage",
    load: async () => (await import("./commands/callers/collections.ts")).collections,
  },
  payments: {
    summary: "show the revenue from paid searches, and try one",
    group: "Access and usage",
    load: async () => (await import("./commands/callers/payments.ts")).payments,
  },
  watches: {
    summary: "watch a question, a source or a page for changes",
    group: "Access and usage",
    load: async () => (await import("./commands/callers/watches.ts")).watches,
  },
  queries: {
    summary: "show the questions that were asked most, found nothing or were slow",
    group: "Access and usage",
    load: async () => (await import("./commands/callers/queries.ts")).queries,
  },
  audit: {
    summary: "show who changed what",
    group: "Access and usage",
    load: async () => (await import("./commands/callers/audit.ts")).audit,
  },
  mcp: {
    summary: "speak the Model Context Protocol over standard input and output",
    group: "Access and usage",
    load: async () => (await import("./commands/callers/mcp.ts")).mcp,
  },
  index: {
    summary: "show, upgrade and roll back the index",
    group: "The index",
    load: async () => (await import("./commands/index/index.ts")).index,
  },
  rules: {
    summary: "set synonyms, pins and boosts",
    group: "The index",
    load: async () => (await import("./commands/index/rules.ts")).rules,
  },
  judge: {
    summary: "measure how well the expected pages rank",
    group: "The index",
    load: async () => (await import("./commands/pages/judge.ts")).judge,
  },
  export: {
    summary: "write the whole index into one file",
    group: "The index",
    load: async () => (await import("./commands/index/export.ts")).exportIndex,
  },
  import: {
    summary: "add the pages of an exported index",
    group: "The index",
    load: async () => (await import("./commands/index/import.ts")).importIndex,
  },
  completion: {
    summary: "complete commands and options in bash, zsh and fish",
    group: "This command",
    load: async () => (await import("./commands/completion.ts")).completion(COMMANDS),
  },
}
