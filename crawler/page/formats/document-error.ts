/**
 * Why no text could be extracted from a document. `unsupported`: it is intact, but we can't read it (a password, a
 * limit). `unreadable`: it is damaged. `undecodable`: it draws glyphs without saying which letters they are. The
 * message is shown to the operator as the visit's detail.
 */
export class DocumentError extends Error {
  readonly kind: "unsupported" | "unreadable" | "undecodable"

  constructor(kind: "unsupported" | "unreadable" | "undecodable", message: string) {
    super(message)
    this.kind = kind
  }
}

export const PASSWORD_PROTECTED = "the file is password protected"
