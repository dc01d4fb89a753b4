import { createHash } from "node:crypto"
import { unquoted } from "./mbox.ts"

/** The identity of a message, and the messages that it answers. */
export interface MessageIdentity {
  /** A key that is the same for all copies of the message; 20 hexadecimal digits. */
  readonly key: string
  /** A short hash of the message's Message-ID; `null` if it has none. */
  readonly id: string | null
  /** Hashes of the Message-IDs of the messages that it answers, oldest first. */
  readonly refs: readonly string[]
  /** A checksum that changes with the message's text, but not with its flags. */
  readonly sum: string
  /** Milliseconds since 1970; `null` if unknown. */
  readonly sentAt: number | null
}

/** How many of a message's references are used: this many from the start of the list, and this many from its end. */
const FIRST_REFS = 10
const LAST_REFS = 40
/** Number of header bytes that are read; real mail has fewer. */
const MAX_HEADER_BYTES = 1_000_000
/** Fields that belong to the message itself. Other fields, such as `Status`, change when the message is read or moved. */
const OWN_FIELDS = [
  "from",
  "to",
  "cc",
  "date",
  "subject",
  "message-id",
  "content-type",
  "content-transfer-encoding",
]
const DAY_MS = 86_400_000
/** Maximum length of a date, including a comment. Longer dates are attacks on parsers. */
const MAX_DATE_CHARS = 500
/** How far a date may be ahead of the server's date; otherwise it is ignored. */
const MAX_AHEAD_MS = 2 * DAY_MS
/** The earliest date that is believed. An earlier one comes from a clock that was not set. */
const FIRST_MAIL = Date.UTC(1975, 0)

/** @param raw the message's bytes in the file @param length bytes of the whole message; `raw` may be just a part of it */
export function identityOf(raw: Buffer, length: number): MessageIdentity {
  const message = unquoted(raw)
  const { fields, bodyAt } = headerOf(message)
  const body = trimmed(message.subarray(bodyAt))
  const own = OWN_FIELDS.map((name) => fields.get(name)?.[0] ?? "")
  const sum = hash([...own, raw.length < length ? String(length) : ""], body).slice(0, 16)
  const ids = idsIn(fields.get("message-id")?.[0] ?? "")
  const [id = null] = ids
  const [from = "", , , date = ""] = own
  return {
    key: createHash("sha256")
      .update(id === null ? sum : [id, from, date].join("\0"))
      .digest("hex")
      .slice(0, 20),
    id: id === null ? null : short(id),
    refs: refsOf(fields, id),
    sum,
    sentAt: sentAt(fields, /^From [^\n]*/.exec(raw.toString("latin1", 0, 1000))?.[0]),
  }
}

/** The ids in References and In-Reply-To (RFC 5256, THREAD=REFERENCES). */
function refsOf(fields: Fields, own: string | null): string[] {
  const named = [
    ...(fields.get("references") ?? []).flatMap(idsIn),
    // Old programs wrote a sentence in this field, with the address of the person being answered.
    ...idsIn(fields.get("in-reply-to")?.[0] ?? "").slice(0, 1),
  ]
  const refs = [...new Set(named)].filter((id) => id !== own).map(short)
  return refs.length <= FIRST_REFS + LAST_REFS
    ? refs
    : [...refs.slice(0, FIRST_REFS), ...refs.slice(-LAST_REFS)]
}

/** Message-IDs in angle brackets or, from programs that omit the brackets, words with an `@`. */
function idsIn(value: string): string[] {
  const bracketed = [...value.matchAll(/<([^<>]+)>/g)].map(([, id]) => id!.replaceAll(/\s+/g, ""))
  const ids = bracketed.length > 0 ? bracketed : value.split(/[\s,;()"]+/).filter((word) => /.@./.test(word))
  return ids.filter((id) => id !== "" && id.length < 1000)
}

const short = (id: string): string => createHash("sha256").update(id).digest("base64url").slice(0, 12)

/** The time on the author's clock, unless that clock is far ahead of the servers' clocks or was never set. */
function sentAt(fields: Fields, mboxLine: string | undefined): number | null {
  const written = timeOf(fields.get("date")?.[0])
  // Each server adds its field at the top, so the first server's field comes last.
  const received = timeOf(fields.get("received")?.at(-1)?.split(";").at(-1))
  const delivered = timeOf(/\S+\s+(\S.*)$/.exec(mboxLine?.slice(5) ?? "")?.[1])
  const isBelieved =
    written !== null && written >= FIRST_MAIL && (received === null || written <= received + MAX_AHEAD_MS)
  return isBelieved ? written : (received ?? delivered)
}

/** Parses a date in the format of RFC 5322, or in other formats that some programs use. */
function timeOf(value: string | undefined): number | null {
  if (value === undefined) return null
  if (value.length > MAX_DATE_CHARS) return null
  const text = value.replaceAll(/\([^()]*\)/g, " ").trim()
  for (const one of [text, text.replace(/\s+[A-Za-z]{2,5}$/, " GMT"), text.replace(/\s+\S+$/, " GMT")]) {
    const time = Date.parse(/[+-]\d{4}|[A-Z]{2,}$/.test(one) ? one : `${one} GMT`)
    if (!Number.isNaN(time) && Math.abs(time) < 8e15) return time
  }
  return null
}

type Fields = ReadonlyMap<string, readonly string[]>

/** The fields of a header by their lower-case names, unfolded; each character of a value is a byte. */
function headerOf(message: Buffer): { fields: Fields; bodyAt: number } {
  const ends = [message.indexOf("\n\n") + 2, message.indexOf("\n\r\n") + 3].filter((end) => end > 3)
  const bodyAt = Math.min(message.length, ...ends)
  const fields = new Map<string, string[]>()
  const text = message.toString("latin1", 0, Math.min(bodyAt, MAX_HEADER_BYTES))
  for (const line of text.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? []
    if (name === undefined) continue
    const values = fields.get(name.toLowerCase()) ?? []
    values.push(value!.trim())
    fields.set(name.toLowerCase(), values)
  }
  return { fields, bodyAt }
}

/** The body without the empty lines that mailboxes add. */
function trimmed(body: Buffer): Buffer {
  let end = body.length
  while (end > 0 && (body[end - 1] === 0x0a || body[end - 1] === 0x0d)) end -= 1
  return body.subarray(0, end)
}

const hash = (texts: readonly string[], body: Buffer): string =>
  createHash("sha256").update(texts.join("\0")).update("\0").update(body).digest("base64url")
