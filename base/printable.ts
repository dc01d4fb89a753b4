/** A text for a terminal: what sites say may hold sequences that it would obey. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd")
}
