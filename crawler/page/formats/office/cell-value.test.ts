import { expect, it } from "vitest"
import { builtInFormat, formatOfCode, showNumber } from "./cell-value.ts"

it.each([
  ["45293", "yyyy\\-mm\\-dd", "2024-01-02"],
  ["45293.5", "dd/mm/yyyy hh:mm", "2024-01-02 12:00"],
  ["0.75", "h:mm AM/PM", "18:00"],
  ["0.000011574", "hh:mm:ss", "00:00:01"],
  ["45293", `[$-409]mmmm" of "yyyy`, "2024-01-02"],
  ["1", "d.m.yy", "1900-01-01"],
  ["61", "d.m.yy", "1900-03-01"],
  ["0.125", "0.0%", "12.5%"],
  ["-0.5", "0%", "-50%"],
  ["1234.5", `#,##0.00" days"`, "1234.5"],
  ["0.30000000000000004", "General", "0.3"],
  ["1E+20", "0", "100000000000000000000"],
  ["-3", "yyyy", "-3"],
  ["#N/A", "yyyy", "#N/A"],
])("%s shown as %s is %s", (stored, code, shown) => {
  expect(showNumber(stored, formatOfCode(code), false)).toBe(shown)
})

it("dates may be counted from 1904, and have formats that every workbook knows", () => {
  expect(showNumber("43831", builtInFormat(14), true)).toBe("2024-01-02")
  expect(showNumber("0.5", builtInFormat(9), false)).toBe("50%")
  expect(showNumber("0.5", builtInFormat(0), false)).toBe("0.5")
})
