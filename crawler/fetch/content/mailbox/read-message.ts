import PostalMime, { type Attachment, decodeWords, type Email } from "postal-mime"
import { htmlText } from "./html-text.ts"
import { unquoted } from "./mbox.ts"

/** The parts of a message that people read. */
export interface ReadMessage {
  readonly subject: string
  readonly from: string
  /** Lines of text; quoted ones begin with `>`. */
  readonly text: string
  readonly attachments: readonly AttachedFile[]
}

export interface AttachedFile {
  /** A name suitable for use in an address. */
  readonly name: string
  /** The media type that the message declares; often wrong. */
  readonly type: string
  readonly content: Uint8Array
}

/** Maximum nesting depth of messages within messages, and then of parts within parts. Ordinary mail has three or four levels. */
const MAX_MESSAGES_DEEP = 5
const MAX_PARTS_DEEP = 60
const MAX_ATTACHMENTS = 200
const MAX_NAME_CHARS = 120
/** Types that don't count as attached files: signatures and keys, mail servers' reports, and Outlook's wrapper around text. */
const NO_FILES =
  /^(?:application\/(?:pgp-(?:signature|keys|encrypted)|(?:x-)?pkcs7-(?:signature|mime)|ms-tnef)|message\/(?:delivery-status|disposition-notification|feedback-report|partial|external-body)|text\/rfc822-headers)$/
const NO_FILE_NAMES = /\.(?:p7s|p7m|asc|sig)$|^winmail\.dat$/i
/** If the HTML has this many times as many words as the plain text, the HTML is read, since the plain text then only points to the HTML. */
const SAYS_MORE = 1.5
const SAYS_MORE_WORDS = 20

/**
 * Reads a message. Broken parts are left out; a message that is nested too deeply has no text and no files.
 * @param raw the message's bytes in the file
 */
export async function readMessage(raw: Buffer): Promise<ReadMessage> {
  const message = unquoted(raw)
  const email = await parse(message)
  if (email === null) return { ...(await headerAlone(message)), attachments: [] }
  return {
    subject: subjectOf(email),
    from: nameOf(email),
    ...(await contentOf(email, 0)),
  }
}

async function parse(message: Uint8Array): Promise<Email | null> {
  try {
    const email = await PostalMime.parse(message, {
      maxNestingDepth: MAX_PARTS_DEEP,
      maxRfc822NestingDepth: MAX_MESSAGES_DEEP,
    })
    return await asWindows(message, email)
  } catch {
    return null
  }
}

/** Text that declares no charset and isn't UTF-8 is most often Windows-1252. */
async function asWindows(message: Uint8Array, email: Email): Promise<Email> {
  const shown = `${email.subject ?? ""}${email.text ?? ""}${email.html ?? ""}${JSON.stringify(email.from ?? "")}`
  if (!shown.includes("\uFFFD")) return email
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  if (/charset\s*=|^content-transfer-encoding:\s*(?:base64|quoted)/im.test(bytes.toString("latin1")))
    return email
  const text = new TextDecoder("windows-1252").decode(bytes)
  return await PostalMime.parse(text, { maxNestingDepth: MAX_PARTS_DEEP })
}

async function headerAlone(message: Buffer): Promise<Omit<ReadMessage, "attachments">> {
  const end = Math.min(
    ...[message.indexOf("\n\n"), message.indexOf("\n\r\n"), 100_000].filter((at) => at > 0),
  )
  const email = await parse(
    Buffer.from(
      message
        .subarray(0, end)
        .toString("latin1")
        .replaceAll(/^content-/gim, "x-"),
    ),
  )
  return {
    subject: email === null ? "" : subjectOf(email),
    from: email === null ? "" : nameOf(email),
    text: "",
  }
}

async function contentOf(email: Email, depth: number): Promise<Pick<ReadMessage, "text" | "attachments">> {
  const texts = [bodyOf(email)]
  const attachments: AttachedFile[] = []
  for (const part of email.attachments.slice(0, MAX_ATTACHMENTS)) {
    if (part.mimeType === "message/rfc822" && depth < MAX_MESSAGES_DEEP) {
      const forwarded = await parse(bytesOf(part))
      if (forwarded === null) continue
      const content = await contentOf(forwarded, depth + 1)
      texts.push(
        [subjectOf(forwarded), nameOf(forwarded), "", content.text]
          .filter((line, at) => line !== "" || at === 2)
          .join("\n"),
      )
      attachments.push(...content.attachments)
    } else if (isFile(part)) {
      const name = fileName(part.filename, attachments.length + 1, part.mimeType)
      attachments.push({ name, type: part.mimeType, content: bytesOf(part) })
    }
  }
  return {
    text: texts.filter((text) => text.trim() !== "").join("\n\n"),
    attachments: attachments.slice(0, MAX_ATTACHMENTS),
  }
}

function bodyOf({ text = "", html }: Email): string {
  const plain = withoutArmour(text)
  if (html === undefined) return plain
  const shown = htmlText(html)
  return wordsIn(shown) > wordsIn(plain) * SAYS_MORE + SAYS_MORE_WORDS || plain.trim() === "" ? shown : plain
}

/** Removes parts of the text that are meant for programs: PGP signatures and encrypted text, uuencoded files. */
const withoutArmour = (text: string): string =>
  text
    .replaceAll(/^-----BEGIN PGP SIGNED MESSAGE-----\r?\n(?:[A-Za-z]+: .*\r?\n)*/gm, "")
    .replaceAll(
      /^-----BEGIN PGP (SIGNATURE|MESSAGE|PUBLIC KEY BLOCK)-----\r?\n(?:[^-\n].*\n|\r?\n)*-----END PGP \1-----/gm,
      "",
    )
    .replaceAll(/^begin [0-7]{3,4} (.+)\n(?:[ -`]{1,62}\r?\n)+`?\r?\n?end\r?$/gm, "($1)")

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0

/** A picture within the text, such as a logo below a signature, does not count as an attachment. */
function isFile({ mimeType, filename, disposition, related, contentId }: Attachment): boolean {
  if (NO_FILES.test(mimeType) || NO_FILE_NAMES.test(filename ?? "")) return false
  if (mimeType.startsWith("image/"))
    return related !== true && disposition === "attachment" && contentId === undefined
  return disposition === "attachment" || filename !== null || !mimeType.startsWith("text/")
}

function fileName(given: string | null, number: number, type: string): string {
  const name = (given ?? "")
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cf}\uFFFD]+/gu, "")
    .split(/[/\\]/)
    .at(-1)!
    .replace(/^\.+/, "")
    .trim()
  if (name === "") return `attachment-${number}${type === "application/pdf" ? ".pdf" : ""}`
  const ending = /\.[^.]{1,12}$/.exec(name)?.[0] ?? ""
  return name.length <= MAX_NAME_CHARS
    ? name
    : name.slice(0, MAX_NAME_CHARS - ending.length).toWellFormed() + ending
}

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : new Uint8Array(content)

const subjectOf = ({ subject = "" }: Email): string => line(subject)

/** The sender's name, or else the address. */
function nameOf({ from, sender, headers }: Email): string {
  const address = from ?? sender
  // Mailing list archives write `ada at mail.example (Ada Lovelace)`.
  const written = headers.find(({ key }) => key === "from")?.value ?? ""
  const remark = written.includes("@") ? undefined : /\(([^()]+)\)\s*$/.exec(written)?.[1]
  const name = line(remark === undefined ? (address?.name ?? "") : decodeWords(remark)).replaceAll(
    /^["']|["']$/g,
    "",
  )
  return name === "" ? line(address?.address ?? "") : name
}

const line = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 500)
