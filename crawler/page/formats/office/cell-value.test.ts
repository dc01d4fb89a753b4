import { expect, it } from "vitest"
import { builtInFormat, formatOfCode, showNumber, showText } from "./cell-value.ts"

it.each([
  ["45293", "yyyy\\-mm\\-dd", "2024-01-02"],
  ["45293.5", "dd/mm/yyyy hh:mm", "02/01/2024 12:00"],
  ["0.75", "h:mm AM/PM", "6:00 PM"],
  ["0.000011574", "hh:mm:ss", "00:00:01"],
  ["45293", `[$-409]mmmm" of "yyyy`, "January of 2024"],
  ["45293", "[$-407]d. mmmm yyyy", "2. Januar 2024"],
  ["45293", `yyyy"年"m"月"d"日"`, "2024年1月2日"],
  ["45293", "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "2024-01-02"],
  ["45293.999994", "d.m.yyyy", "2.1.2024"],
  ["1", "d.m.yy", "1.1.00"],
  ["61", "d.m.yy", "1.3.00"],
  ["1.5", "[h]:mm", "36:00"],
  ["0.05", "[mm]:ss", "72:00"],
  ["0.125", "0.0%", "12.5%"],
  ["-0.5", "0%", "-50%"],
  ["1234.5", `#,##0.00" days"`, "1,234.50 days"],
  ["1234567", `#,##0,"k"`, "1,235k"],
  [
    "1234.5",
    `_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-;_-* "-"??\\ [$€-407]_-;_-@_-`,
    "1.234,50 €",
  ],
  ["-99.5", "$#,##0.00_);[Red]($#,##0.00)", "($99.50)"],
  ["0", `0" pcs";-0" pcs";"none"`, "none"],
  ["0.4", `[<1]"under one";[>=100]"many";0.0`, "under one"],
  ["1.25", "# ?/?", "1 1/4"],
  ["501", "00000", "00501"],
  ["123456789", "000\\-00\\-0000", "123-45-6789"],
  ["123456", "0.00E+00", "1.23E+05"],
  ["5", ";;;", ""],
  ["0.30000000000000004", "General", "0.3"],
  ["123456789012", "General", "123456789012"],
  ["1E+20", "0", "100000000000000000000"],
  ["-3", "yyyy", "-3"],
  ["7", "no code [", "7"],
  ["#N/A", "yyyy", "#N/A"],
])("%s shown as %s is %s", (stored, code, shown) => {
  expect(showNumber(stored, formatOfCode(code), false)).toBe(shown)
})

it.each([
  [0, "1234.5", "1234.5"],
  [2, "1234.5", "1234.50"],
  [4, "1234.5", "1,234.50"],
  [9, "0.5", "50%"],
  [12, "0.5", "1/2"],
  [14, "45293", "2024-01-02"],
  [22, "45293.25", "2024-01-02 06:00"],
  [37, "1234.5", "1,235"],
  [40, "-1234.5", "(1,234.50)"],
  [31, "45293", "2024-01-02"],
  [46, "1.5", "36:00:00"],
  [49, "501", "501"],
])("format %s, which every workbook knows, shows %s as %s", (id, stored, shown) => {
  expect(showNumber(stored, builtInFormat(id), false)).toBe(shown)
})

it("dates can count from 1904", () => {
  expect(showNumber("43831", builtInFormat(14), true)).toBe("2024-01-02")
  expect(showNumber("0.75", formatOfCode("h:mm"), true)).toBe("18:00")
  expect(showNumber("1.5", formatOfCode("[h]:mm"), true)).toBe("36:00")
})

it("a format can hide text, or add words around it", () => {
  expect(showText("Hose", formatOfCode(";;;"))).toBe("")
  expect(showText("Hose", formatOfCode(`0.0;-0.0;0;"Part "@`))).toBe("Part Hose")
  expect(showText("Hose", formatOfCode("0.00"))).toBe("Hose")
})
