const MIN_CHARS = 6

/**
 * Removes from text written by others the secrets that we sent and that it may repeat: verbatim, as written in
 * addresses, and within base64, as in logins.
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

/** The parts of a secret that appear in base64 (RFC 4648) at any of the three offsets, with the whole word around them. */
function fragmentsOf(secret: string): readonly RegExp[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "")
    // The characters at both ends depend on their neighbours.
    const sure = whole.slice(shift === 0 ? 0 : shift + 1, -2)
    const either = sure.replaceAll("+", "[+-]").replaceAll("/", "[/_]")
    return new RegExp(`[\\w+/-]*${either}[\\w+/=-]*`, "g")
  })
}
