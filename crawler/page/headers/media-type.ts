/** The media type of a Content-Type header, lower case, without parameters; empty when there is none. */
export function mediaType(header: string | undefined): string {
  return (header?.split(";")[0] ?? "").trim().toLowerCase()
}

/** The charset parameter of a Content-Type header, or null. */
export function charsetParameter(header: string | undefined): string | null {
  return /;\s*charset\s*=\s*"?([\w.:+-]+)/i.exec(header ?? "")?.[1] ?? null
}
