import { isIP } from "node:net"

import { type PageUrl, toPageUrl } from "#engine"

/**
 * The address that a caller means: http or https. If the scheme is missing, https is assumed, as is usual on the web
 * today, except for hosts that hardly ever have a certificate: `localhost`, bare IP addresses, and hosts with a port.
 */
export function liveUrl(text: string): PageUrl | null {
  const trimmed = text.trim()
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return toPageUrl(trimmed)
  const host = /^([^/?#:\s]+)(:\d+)?(?:[/?#]\S*)?$/.exec(trimmed)
  if (host === null) return null
  const plain = host[1] === "localhost" || isIP(host[1]!) !== 0
  if (!plain && !host[1]!.includes(".")) return null
  return toPageUrl(`${plain || host[2] !== undefined ? "http" : "https"}://${trimmed}`)
}
