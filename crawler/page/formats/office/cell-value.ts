/** How a cell shows its number (ECMA-376 part 1 §18.8.30). */
export type CellFormat =
  | { readonly kind: "number" }
  | { readonly kind: "none" }
  | { readonly kind: "share"; readonly decimals: number }
  | { readonly kind: "time"; readonly hasDate: boolean; readonly hasTime: boolean }

const NUMBER: CellFormat = { kind: "number" }

/** The format of a number that every workbook knows. */
export function builtInFormat(id: number): CellFormat {
  if (id === 9) return { kind: "share", decimals: 0 }
  if (id === 10) return { kind: "share", decimals: 2 }
  if (id === 22) return { kind: "time", hasDate: true, hasTime: true }
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return { kind: "time", hasDate: false, hasTime: true }
  // 27 to 36 and 50 to 58 are the dates of East Asian versions.
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58))
    return { kind: "time", hasDate: true, hasTime: false }
  return NUMBER
}

/** The format that a code such as `yyyy\-mm\-dd` or `0.0%` gives. */
export function formatOfCode(code: string): CellFormat {
  if (/^\s*;\s*;\s*(?:;|$)/.test(code)) return { kind: "none" }
  const positive = code.slice(0, 300).split(";")[0] ?? ""
  const elapsed = /\[(?:h+|m+|s+)\]/i.test(positive)
  const letters = positive
    .replace(/"[^"]*"|\\.|_.|\*./g, "")
    .replace(/\[[^\]]*\]/g, "")
    .toLowerCase()
  if (letters.includes("%")) return { kind: "share", decimals: /\.([0#?]+)/.exec(letters)?.[1]?.length ?? 0 }
  if (letters.includes("general")) return NUMBER
  const hasTime = elapsed || /[hs]/.test(letters)
  const hasDate = /[yd]/.test(letters) || (/m/.test(letters) && !hasTime)
  return hasDate || hasTime ? { kind: "time", hasDate, hasTime } : NUMBER
}

/** Whether a code shows no text: its fourth part is for text, and empty (§18.8.31). */
export function hidesText(code: string): boolean {
  const parts = code
    .slice(0, 300)
    .replace(/"[^"]*"|\\./g, "x")
    .split(";")
  return parts.length > 3 && parts[3]!.trim() === ""
}

const DAY_MS = 86_400_000
/** Day 0 of both calendars; the first one counts a 29 February 1900 that never was, its day 60. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
const LAST_DAY = 2_958_465

/** A stored number as a reader of the sheet sees it: dates in ISO 8601, numbers to the 15 digits that are kept. */
export function showNumber(stored: string, format: CellFormat, isFrom1904: boolean): string {
  const value = Number(stored)
  if (stored.trim() === "" || !Number.isFinite(value)) return stored
  if (format.kind === "share") return `${(value * 100).toFixed(Math.min(format.decimals, 10))}%`
  if (format.kind === "time" && value >= 0 && value <= LAST_DAY) {
    const days = !isFrom1904 && value >= 1 && value < 60 ? value + 1 : value
    // To the second: days are stored as fractions that seldom come out even.
    const ms = Math.round((days * DAY_MS) / 1000) * 1000
    const iso = new Date((isFrom1904 ? EPOCH_1904 : EPOCH_1900) + ms).toISOString()
    const time = iso.slice(11, iso.slice(17, 19) === "00" ? 16 : 19)
    if (!format.hasDate) return time
    return format.hasTime ? `${iso.slice(0, 10)} ${time}` : iso.slice(0, 10)
  }
  return String(Number(value.toPrecision(15)))
}
