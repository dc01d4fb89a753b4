/** The directives for us in X-Robots-Tag headers, or in the `content` of a robots meta tag. */
export interface RobotsDirectives {
  readonly noindex: boolean
  readonly nofollow: boolean
}

/**
 * Reads X-Robots-Tag. A directive can be for one crawler (`otherbot: noindex`); those for other crawlers are left out.
 * `agent` is our product token.
 */
export function xRobotsTag(header: string | readonly string[] | undefined, agent: string): RobotsDirectives {
  const names = new Set<string>()
  for (const value of typeof header === "string" ? [header] : (header ?? [])) {
    let ours = true
    for (const part of value.toLowerCase().split(",")) {
      const named = /^\s*([\w-]+)\s*:(?!\/)\s*(.*)$/.exec(part)
      // Not the name of a crawler: `unavailable_after` and the `max-` directives contain a colon themselves.
      const addressed = named && named[1] !== "unavailable_after" && !named[1]?.startsWith("max-")
      if (addressed) ours = named[1] === agent.toLowerCase()
      if (ours) names.add((addressed ? (named[2] ?? "") : part).trim())
    }
  }
  const none = names.has("none")
  return { noindex: none || names.has("noindex"), nofollow: none || names.has("nofollow") }
}
