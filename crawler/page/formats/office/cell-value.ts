import { format, isDateFormat, isValidFormat } from "numfmt"

/** How a cell shows its value: by a code such as `#,##0.00` (ECMA-376 part 1 §18.8.31), or without one. */
export interface CellFormat {
  /** Null if a number is shown unformatted, with the 15 digits that Excel keeps. */
  readonly code: string | null
  readonly isDate: boolean
}

const GENERAL: CellFormat = { code: null, isDate: false }
/** Maximum length of a format code, as in Excel. */
const MAX_CODE_CHARS = 255
/** Used for dates and times that Excel would format for the reader's country, which is unknown: ISO 8601. */
const DATE = "yyyy\\-mm\\-dd"
const TIME = "hh:mm:ss"

/** Codes of the formats that every workbook defines by number (§18.8.30); other numbers are `General` or East Asian dates. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: DATE,
  15: DATE,
  16: DATE,
  17: "yyyy\\-mm",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: `${DATE} hh:mm`,
  37: "#,##0_);(#,##0)",
  38: "#,##0_);(#,##0)",
  39: "#,##0.00_);(#,##0.00)",
  40: "#,##0.00_);(#,##0.00)",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  48: "##0.0E+0",
  49: "@",
}

/** The built-in format with this number. */
export function builtInFormat(id: number): CellFormat {
  // 27 to 36 and 50 to 58 are the dates of East Asian versions.
  const code = (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? DATE : BUILT_IN[id]
  return code === undefined ? GENERAL : formatOfCode(code)
}

/** The format for a code. */
export function formatOfCode(given: string): CellFormat {
  const code = given
    .slice(0, MAX_CODE_CHARS)
    .replace(/\[\$-F800\][^;]*/i, DATE)
    .replace(/\[\$-F400\][^;]*/i, TIME)
  if (/^\s*general\s*$/i.test(code) || code === "" || !isValidFormat(code)) return GENERAL
  return { code, isDate: isDateFormat(code) }
}

const LAST_DAY = 2_958_465
/** Days between day 0 of the 1900 calendar and day 0 of the 1904 calendar. */
const DAYS_TO_1904 = 1462

/** A stored number as a reader of the sheet sees it. */
export function showNumber(stored: string, { code, isDate }: CellFormat, isFrom1904: boolean): string {
  const value = Number(stored)
  if (stored.trim() === "" || !Number.isFinite(value)) return stored
  const plain = String(Number(value.toPrecision(15)))
  if (code === null) return plain
  if (!isDate) return shown(code, value) ?? plain
  // A duration does not depend on a calendar.
  const from = isFrom1904 && !/\[(?:h+|m+|s+)\]/i.test(code) ? DAYS_TO_1904 : 0
  // Rounded to the second, because days are stored as fractions that are rarely exact.
  const seconds = Math.round((value + from) * 86_400)
  const days = /\.0/.test(code) ? value + from : seconds / 86_400
  return value < 0 || value > LAST_DAY ? plain : (shown(code, days) ?? plain)
}

/** Text as a reader sees it: a format code can hide it, or put words around it. */
export const showText = (text: string, { code }: CellFormat): string =>
  code === null || !/@|;.*;.*;/.test(code) ? text : (shown(code, text) ?? text)

function shown(code: string, value: number | string): string | null {
  try {
    return format(code, value, { dateErrorThrows: true }).replace(/\s+/g, " ").trim()
  } catch {
    return null
  }
}
