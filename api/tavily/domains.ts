import { domainToASCII } from "node:url"

import { badRequest } from "../errors.ts"

/**
 * The hosts of a domain list, as the engine's filter wants them: lower case, ASCII (RFC 3492 for names in
 * other scripts), without scheme and without `www.`.
 *
 * @throws ApiError 400 naming the first entry that is no plain host, or the cap that is passed
 */
export function domainList(
  field: string,
  given: string | readonly string[] | undefined,
  cap: number,
): readonly string[] {
  if (given === undefined) return []
  const entries = typeof given === "string" ? [given] : given
  if (entries.length > cap) throw badRequest(`Invalid ${field}. Must have at most ${cap} entries.`)
  return [...new Set(entries.map((entry) => domain(field, entry)))]
}

function domain(field: string, entry: string): string {
  const host = entry
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/\/$/, "")
    .replace(/\.$/, "")
    .replace(/^www\./, "")
  // Characters that cannot stand in a host name would be dropped or moved elsewhere by the URL parser.
  const ascii = /[\s/\\:?#@*%[\]<>^|]/.test(host) ? "" : domainToASCII(host)
  if (!/^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(ascii) || ascii.length > 253) {
    throw badRequest(
      `Invalid ${field}: '${entry.slice(0, 100)}'. Must be domains such as 'example.com', without wildcards, port, path, query or fragment.`,
    )
  }
  return ascii
}
