const MIN_CHARS = 6

/**
 * A text of somebody else's without secrets that they were given and may repeat: as they are, as addresses have them, and within
 * base64, as logins do.
 */
export function hidden(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_CHARS)
    .reduce((left, secret) => {
      const plain = [secret, encodeURIComponent(secret)].reduce(
        (rest, form) => rest.replaceAll(form, "…"),
        left,
      )
      return fragmentsOf(secret).reduce((rest, one) => rest.replace(one, "…"), plain)
    }, text)
}

/** What of a secret stands in base64 (RFC 4648), at whichever of three places it begins: with all of the word round it. */
function fragmentsOf(secret: string): readonly RegExp[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "")
    // The characters at both ends depend on the neighbours.
    const sure = whole.slice(shift === 0 ? 0 : shift + 1, -2)
    const either = sure.replaceAll("+", "[+-]").replaceAll("/", "[/_]")
    return new RegExp(`[\\w+/-]*${either}[\\w+/=-]*`, "g")
  })
}
