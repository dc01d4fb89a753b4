/**
 * Calls that are no GET and change nothing of the appliance: they ask, or look at pages of others. Whatever is not here is a
 * change, so that a new call is noted unless somebody says here that it need not be.
 */
const ASKING: readonly RegExp[] = [
  /^\/(?:search|extract|crawl|map|research|logs|mcp)$/,
  // The shapes of others: searches, embeddings, and pages that are read live for their caller.
  /^\/(?:v1|v2|searxng|openwebui)\//,
  // What a program does to be let in, which has a list of its own: grants.
  /^\/(?:token|register|revoke|authorize)(?:\/|$)/,
  /^\/admin\/try$/,
  /^\/admin\/sources\/(?:propose|preview|trial)$/,
  /^\/admin\/networks\/look$/,
  /^\/admin\/(?:rules|judged-questions|readers)\/preview$/,
]

/** Whether a call leaves the appliance as it was. */
export const changesNothing = (method: string, path: string): boolean =>
  method === "POST" && ASKING.some((one) => one.test(path))
