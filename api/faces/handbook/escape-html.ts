const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Text made safe for element content and for attribute values in quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}

/** XML 1.0 has no place for these, escaped or not. */
const NO_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/** The same for XML 1.0, which has fewer characters. */
export const escapeXml = (text: string): string => escapeHtml(text.replaceAll(NO_XML, "\u{FFFD}"))
