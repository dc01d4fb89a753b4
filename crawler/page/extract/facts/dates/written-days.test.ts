import { expect, test } from "vitest"
import { type DateWriting, writtenDays } from "./written-days.ts"

const daysIn = (text: string, writing: Partial<DateWriting> = {}) =>
  writtenDays(text, { language: null, country: null, ...writing }).map(({ time }) =>
    new Date(time).toISOString().slice(0, 10),
  )

test("a date in words is read in every language with month names, in its own calendar", () => {
  const languages =
    "ar bg bn ca cs da de el en es et fi fr gl he hi hr hu hy id is it ka kk lt lv mk ms nb nl pl pt ro ru sk sl sq sr sv ta te tr uk ur vi ja ko zh th"
  for (const language of languages.split(" "))
    for (let month = 0; month < 12; month++) {
      const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" })
      const time = Date.UTC(2019, month, 23)
      const text = format.format(time)
      expect([text, daysIn(text, { language })]).toEqual([text, [new Date(time).toISOString().slice(0, 10)]])
    }
})

test("words in another language than the page's are read when all languages agree", () => {
  expect(daysIn("17 de febrero de 2020", { language: "en" })).toEqual(["2020-02-17"])
  expect(daysIn("Freitag, 5. Juni 2015", { language: "en" })).toEqual(["2015-06-05"])
  // October in Croatian, November in Polish.
  expect(daysIn("5. listopada 2015", { language: "en" })).toEqual([])
  expect(daysIn("5. listopada 2015", { language: "hr" })).toEqual(["2015-10-05"])
})

test.each([
  ["03/04/2021", { language: "en", country: "us" }, "2021-03-04"],
  ["03/04/2021", { language: "en", country: "gb" }, "2021-04-03"],
  ["03/04/2021", { language: "en" }, undefined],
  ["03/04/2021", {}, undefined],
  ["03.04.2021", {}, "2021-04-03"],
  ["25/03/2021", { language: "en", country: "us" }, "2021-03-25"],
  ["03-25-2021", {}, "2021-03-25"],
  ["05/05/2021", {}, "2021-05-05"],
  ["31.10.23", { language: "de" }, "2023-10-31"],
  ["20.11.05", { language: "ko" }, "2020-11-05"],
  ["2020. 11. 5.", { language: "ko" }, "2020-11-05"],
  ["令和４年３月９日", { language: "ja" }, "2022-03-09"],
  ["令和元年 5月 1日", { language: "ja" }, "2019-05-01"],
  ["平成31年4月30日", {}, "2019-04-30"],
  ["中華民國111年3月9日", {}, "2022-03-09"],
  ["111-03-09", { language: "zh", country: "tw" }, "2022-03-09"],
  ["111年3月9日", { language: "zh", country: "tw" }, "2022-03-09"],
  ["111-03-09", { language: "zh" }, undefined],
  ["4年3月9日", { language: "ja" }, undefined],
  ["2021-13-04", {}, undefined],
  ["31.02.2021", {}, undefined],
  ["10.0.2021.4", {}, undefined],
  ["1-800-555-2020", {}, undefined],
  ["10:05 May 2020", { language: "en" }, undefined],
  ["December 29th 2019", { language: "en" }, "2019-12-29"],
  ["Sept. 5, 2019", { language: "en" }, "2019-09-05"],
  ["12. HAZİRAN 2019", { language: "tr" }, "2019-06-12"],
  ["8 fevrier 2019", { language: "fr" }, "2019-02-08"],
  ["Mar 2019, 5 comments", { language: "en" }, undefined],
  ["23 people came in 2019", { language: "en" }, undefined],
] as const)("%s, %j: %s", (text, writing, day) => {
  expect(daysIn(text, writing)).toEqual(day === undefined ? [] : [day])
})
