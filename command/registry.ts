import type { Registry } from "./spec.ts"

/** Every command there is, in the order of the help. */
export const COMMANDS: Registry = {
  start: {
    summary: "start the appliance",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/start.ts")).start,
  },
  service: {
    summary: "run the appliance as a service of systemd",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/service.ts")).service,
  },
  doctor: {
    summary: "look at all that can be wrong, and say what to do",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/doctor.ts")).doctor,
  },
  backup: {
    summary: "write all that the appliance keeps into one file",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/backup.ts")).backup,
  },
  backups: {
    summary: "show the backups by schedule, and make one now",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/backups.ts")).backups,
  },
  alerts: {
    summary: "try the receivers of alerts",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/alerts.ts")).alerts,
  },
  restore: {
    summary: "bring a backup back",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/restore.ts")).restore,
  },
  state: {
    summary: "move keys, sources, jobs and usage into PostgreSQL, or back",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/state.ts")).state,
  },
  verify: {
    summary: "check that a release, or what is installed, is what was signed",
    group: "The appliance",
    load: async () => (await import("./commands/appliance/verify.ts")).verify,
  },
  outbound: {
    summary: "show whom the appliance talked to",
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
    summary: "decide on pages that seem to be gone, and put removed ones back",
    group: "Pages",
    load: async () => (await import("./commands/pages/removals.ts")).removals,
  },
  why: {
    summary: "say why a page is found, or is not",
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
    group: "Who may search",
    load: async () => (await import("./commands/callers/keys.ts")).keys,
  },
  collections: {
    summary: "name sets of sources that keys can be limited to",
    group: "Who may search",
    load: async () => (await import("./commands/callers/collections.ts")).collections,
  },
  payments: {
    summary: "show what paid searches brought, and try one",
    group: "Who may search",
    load: async () => (await import("./commands/callers/payments.ts")).payments,
  },
  watches: {
    summary: "be told what changed for a question, a source or a page",
    group: "Who may search",
    load: async () => (await import("./commands/callers/watches.ts")).watches,
  },
  queries: {
    summary: "show what was asked, by how often, in vain or slowly",
    group: "Who may search",
    load: async () => (await import("./commands/callers/queries.ts")).queries,
  },
  audit: {
    summary: "show who changed what",
    group: "Who may search",
    load: async () => (await import("./commands/callers/audit.ts")).audit,
  },
  mcp: {
    summary: "speak the Model Context Protocol over standard input and output",
    group: "Who may search",
    load: async () => (await import("./commands/callers/mcp.ts")).mcp,
  },
  index: {
    summary: "upgrade the index, roll it back, and show its state",
    group: "The index",
    load: async () => (await import("./commands/index/index.ts")).index,
  },
  rules: {
    summary: "synonyms, pins and boosts",
    group: "The index",
    load: async () => (await import("./commands/index/rules.ts")).rules,
  },
  judge: {
    summary: "say how well the pages you expect rank",
    group: "The index",
    load: async () => (await import("./commands/pages/judge.ts")).judge,
  },
  export: {
    summary: "write the whole index into one file",
    group: "The index",
    load: async () => (await import("./commands/index/export.ts")).exportIndex,
  },
  import: {
    summary: "bring the pages of an exported index in",
    group: "The index",
    load: async () => (await import("./commands/index/import.ts")).importIndex,
  },
  completion: {
    summary: "complete commands and options in bash, zsh and fish",
    group: "The command itself",
    load: async () => (await import("./commands/completion.ts")).completion(COMMANDS),
  },
}
