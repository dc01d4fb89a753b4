const MIN_CHARS = 6

/**
 * Removes secrets from text written by others: those that we sent them and that the text might repeat, whether
 * verbatim, as encoded in addresses, or inside base64, as in login headers.
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
    // The characters at both ends depend on the bytes next to the secret.
    const sure = whole.slice(shift === 0 ? 0 : shift + 1, -2)
    const either = sure.replaceAll("+", "[+-]").replaceAll("/", "[/_]")
    return new RegExp(`[\\w+/-]*${either}[\\w+/=-]*`, "g")
  })
}
