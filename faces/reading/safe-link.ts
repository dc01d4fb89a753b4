/** The target of a link on a page, or null when that is neither a web nor a mail address. */
export function safeLink(href: string, base: string): string | null {
  const url = URL.parse(href, base)
  return url !== null && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : null
}

/** A step of an address's path, decoded for people; unchanged if it is malformed. */
export function readableStep(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
