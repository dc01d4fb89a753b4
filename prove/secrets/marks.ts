import { randomBytes } from "node:crypto"

/** Secrets that can't be confused with anything else, by their purpose. */
export class Marks {
  readonly #marks = new Map<string, string>()
  /** The forms of each secret, which are searched for in thousands of places. */
  readonly #forms = new Map<string, Forms>()
  #starts: Starts | null = null

  /** The secret with this name; always the same. It contains `+` and `/` so that encodings change it. */
  of(name: string): string {
    let mark = this.#marks.get(name)
    if (mark === undefined) this.add(name, (mark = `Mark+${randomBytes(18).toString("hex")}/s`))
    return mark
  }

  /** Adds a secret created elsewhere, such as one of the appliance's keys. */
  add(name: string, secret: string | Uint8Array): void {
    if (typeof secret === "string") this.#marks.set(name, secret)
    this.#forms.set(name, formsOf(secret))
    this.#starts = null
  }

  get names(): readonly string[] {
    return [...this.#forms.keys()]
  }

  /** Names of the secrets found in these bytes, plain or encoded. */
  in(bytes: Uint8Array): readonly string[] {
    const starts = (this.#starts ??= startsOf([...this.#forms.values()]))
    const text = Buffer.from(bytes).toString("latin1")
    const found = new Set<Form>()
    let key = 0
    for (const [at, byte] of bytes.entries()) {
      key = (key << 8) | byte
      const from = at + 1 - START
      for (const form of (from < 0 ? undefined : starts.get(key)) ?? [])
        if (text.startsWith(form[1], from)) found.add(form)
    }
    return [...this.#forms].flatMap(([name, forms]) => {
      const form = forms.find((one) => found.has(one))
      return form === undefined ? [] : [`${name} (${form[0]})`]
    })
  }
}

type Form = readonly [how: string, encoded: string]
type Forms = readonly Form[]

/** The first bytes of a form, as one number to search by: a text is scanned once, however many forms there are. */
const START = 4
type Starts = ReadonlyMap<number, Forms>

/** @throws Error if a form is shorter than the prefix that is searched for */
function startsOf(all: readonly Forms[]): Starts {
  return Map.groupBy(all.flat(), ([how, encoded]) => {
    if (encoded.length < START) throw new Error(`"${encoded}" (${how}) is too short to search for`)
    return Buffer.from(encoded, "latin1").readInt32BE(0)
  })
}

/** The ways in which a secret may be written: as it is, for addresses, in JSON, in hexadecimal, in base64 at any position in a longer text. */
export function formsOf(secret: string | Uint8Array): Forms {
  const bytes = Buffer.from(secret)
  // Base64 encodes three bytes at a time, so the characters at both ends depend on the neighbouring bytes.
  // OAuth encodes the secret of a client for forms before it encodes both the client's name and the secret in base64.
  const encoded = typeof secret === "string" ? [Buffer.from(encodeURIComponent(secret))] : []
  const inBase64 = [bytes, ...encoded].flatMap((one) =>
    [0, 1, 2].map((shift) => {
      const whole = Buffer.concat([Buffer.alloc(shift), one])
        .toString("base64")
        .replaceAll("=", "")
      return whole.slice(shift === 0 ? 0 : shift + 1, -2)
    }),
  )
  const asText: Forms =
    typeof secret === "string"
      ? [
          ["for addresses", encodeURIComponent(secret)],
          ["for forms", new URLSearchParams({ a: secret }).toString().slice(2)],
          ["escaped", JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/")],
        ]
      : []
  return [
    ["as it is", bytes.toString("latin1")],
    ...asText,
    ["hexadecimal", bytes.toString("hex")],
    ...inBase64.map((one) => ["base64", one] as const),
    ...inBase64.map((one) => ["base64url", one.replaceAll("+", "-").replaceAll("/", "_")] as const),
  ]
}
