/**
 * Calls other than GET that change nothing on the appliance: they query it, or read other sites' pages. Any call not
 * listed here counts as a change, so that a new call is logged unless you list it here.
 */
const ASKING: readonly RegExp[] = [
  /^\/(?:search|extract|crawl|map|research|logs|mcp)$/,
  // Calls in the API formats of other products: searches, embeddings, and pages that are read live for their caller.
  /^\/(?:v1|v2|searxng|openwebui)\//,
  // The calls a program makes to be admitted, which have their own record: grants.
  /^\/(?:token|register|revoke|authorize)(?:\/|$)/,
  /^\/admin\/try$/,
  /^\/admin\/sources\/(?:propose|preview|trial)$/,
  /^\/admin\/networks\/look$/,
  /^\/admin\/(?:rules|judged-questions|readers)\/preview$/,
]

/** Whether a call changes nothing on the appliance. */
export const changesNothing = (method: string, path: string): boolean =>
  method === "POST" && ASKING.some((one) => one.test(path))
