/**
 * The purposes for which the appliance opens connections, with the settings that control them; docs/privacy.md has a
 * row for each.
 */
export const OUTBOUND_PURPOSES = {
  crawl: {
    what: "pages, robots.txt, sitemaps, feeds, images, Git repositories and mail servers of sources, and logins to them",
    settings: ["FOSSICK_IMAGES", "FOSSICK_ALLOWED_NETWORKS"],
  },
  live: {
    what: "pages named in a call, read live",
    settings: ["FOSSICK_READ_ONLY", "FOSSICK_ALLOWED_NETWORKS"],
  },
  webhook: {
    what: "receivers of webhooks for sources, watches, alerts and crawls over the API; and the ntfy server for alerts",
    settings: ["FOSSICK_ALERT_WEBHOOK", "FOSSICK_ALERT_NTFY", "FOSSICK_WEBHOOK_NETWORKS"],
  },
  mail: { what: "the mail server, for alerts and watches", settings: ["FOSSICK_SMTP_URL"] },
  "oauth-client": {
    what: "client documents of programs that ask for access over MCP",
    settings: ["FOSSICK_PUBLIC_URL"],
  },
  "sign-on": { what: "identity providers that people sign in with", settings: ["FOSSICK_SIGN_ON_FILE"] },
  proxy: { what: "the outgoing HTTP proxy", settings: ["FOSSICK_PROXY"] },
  embeddings: { what: "the server that makes vectors", settings: ["FOSSICK_EMBEDDINGS_URL"] },
  reranker: { what: "the server that reranks results", settings: ["FOSSICK_RERANKER_URL"] },
  chat: { what: "the language model", settings: ["FOSSICK_LLM_URL"] },
  "model-hub": {
    what: "the hub that a model is fetched from, once",
    settings: ["FOSSICK_MODEL_HUB", "FOSSICK_MODEL"],
  },
  engine: {
    what: "the server or cluster that holds the index",
    settings: ["FOSSICK_ENGINE", "FOSSICK_MEILI_URL", "FOSSICK_OPENSEARCH_URLS"],
  },
  state: { what: "the server that holds the state", settings: ["FOSSICK_STATE"] },
  peer: { what: "other appliances, for each search", settings: ["FOSSICK_PEERS_FILE"] },
  payments: {
    what: "the facilitator and the node for paid searches",
    settings: ["X402_FACILITATOR_URL", "X402_RPC_URL"],
  },
  traces: { what: "the receiver of traces", settings: ["FOSSICK_TRACES_URL"] },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly settings: readonly string[] }>>

export type OutboundPurpose = keyof typeof OUTBOUND_PURPOSES
