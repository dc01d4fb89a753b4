import { monthNamed } from "./month-names.ts"

/** How a page writes its dates. */
export interface DateWriting {
  /** ISO 639-1. */
  readonly language: string | null
  /** ISO 3166-1. */
  readonly country: string | null
}

/** A day named in a text. */
export interface WrittenDay {
  /** The day's first moment in UTC, in milliseconds since 1970. */
  readonly time: number
  /** Where the day begins in the text. */
  readonly from: number
  readonly to: number
}

const EARLIEST_YEAR = 1990
/** How far the years of the Thai calendar, which are counted from the Buddha's death, are ahead of ours; no other calendar has similar years. */
const BUDDHIST_YEARS = 543
const DAY_MS = 86_400_000

/** Matches a year, or three numbers with two marks between them. A text that names a day contains one of these. */
const YEAR_OR_NUMBERS = /(?:19|2[05])\d\d|令和|平成|\d年|\d[./-]\d\d?[./-]\d\d|[^\P{Nd}0-9]{4}/u
const OTHER_DIGITS = /[^\P{Nd}0-9]/gu

/** Three numbers with the same mark between them: `2016-12-23`, `23. 12. 2016`, `2016年12月23日`, `5 tháng 10, 2020`. */
const NUMBERS =
  /(?<![\d./:-])(\d{1,4})(?:(\s?[./-]\s?)(\d{1,2})\2(\d{4}|\d\d?)(?![\d:]|[./-]\d)|(?:年|년|\s?tháng)\s?(\d{1,2})(?:月|월|,|\s?năm)\s?(\d{1,4})(?!\d))/gu
/** Matches years of Japan's eras and of Taiwan, such as `令和4年3月9日`; the first year of an era can be written as 元. */
const ERA = /(令和|平成|民[国國])\s*(\d{1,3}|元)年\s*(\d{1,2})月\s*(\d{1,2})日/gu
/** The year before the first year of each era. */
const BEFORE_ERA: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 民国: 1911, 民國: 1911 }
/** Matches a number or a word. */
const TOKEN = /\d+|\p{L}[\p{L}\p{M}'’]*/gu
/** Maximum length and number of small words between two parts of a date: `5 de mayo de 2020`, `the 5th of May`, `2020. gada 5. maijs`. */
const FILLER_CHARS = 4
const FILLERS = 2
/** Matches punctuation that can be between two parts of a date, besides small words. */
const BETWEEN = /^[\s.,،、'’·]*$/

/** Whether text might name a day. This is cheap enough to check all of a page's text. */
export const mayNameDay = (text: string): boolean => YEAR_OR_NUMBERS.test(text)

/**
 * The days that a text names with a year, in the order of the text. A day is left out if the order of day and month is
 * unknown (`03/04/2021` on a page in English without a country).
 */
export function writtenDays(written: string, writing: DateWriting): readonly WrittenDay[] {
  const text = written.replace(OTHER_DIGITS, asciiDigit)
  const days = [...daysInNumbers(text, writing), ...daysInWords(text, writing)]
  return days.toSorted((a, b) => a.from - b.from)
}

function daysInNumbers(text: string, writing: DateWriting): WrittenDay[] {
  const days: WrittenDay[] = []
  for (const found of text.matchAll(NUMBERS)) {
    const [all, first, mark, second, third, secondNamed, thirdNamed] = found
    const time =
      mark === undefined
        ? namedParts(yearOf(first!, writing), Number(secondNamed), Number(thirdNamed))
        : timeOfNumbers(first!, second!, third!, mark.trim(), writing)
    if (time !== null) days.push({ time, from: found.index, to: found.index + all.length })
  }
  for (const { 0: all, 1: era, 2: year, 3: month, 4: day, index } of text.matchAll(ERA)) {
    const time = dayOf(BEFORE_ERA[era!]! + (year === "元" ? 1 : Number(year)), Number(month), Number(day))
    if (time !== null) days.push({ time, from: index, to: index + all.length })
  }
  return days
}

/** The year as a number; in Taiwan, three digits are counted from 1911. */
const yearOf = (digits: string, { country }: DateWriting): number =>
  Number(digits) + (digits.length === 3 && country?.toLowerCase() === "tw" ? BEFORE_ERA["民國"]! : 0)

/** Reads three numbers of which the middle one is marked as the month: the year is the first or the last. */
const namedParts = (first: number, month: number, third: number): number | null =>
  first > 31 ? dayOf(first, month, third) : dayOf(third, month, first)

function timeOfNumbers(
  first: string,
  second: string,
  third: string,
  mark: string,
  writing: DateWriting,
): number | null {
  const [a, b, c] = [Number(first), Number(second), Number(third)]
  if (first.length === 4) return dayOf(a, b, c)
  if (first.length === 3) return dayOf(yearOf(first, writing), b, c)
  if (first.length > 2 || third.length === 1) return null
  const order = orderOf(writing)
  if (third.length === 2 && order === "ymd") return dayOf(2000 + a, b, c)
  const year = third.length === 2 ? 2000 + c : c
  if (a > 12 || a === b) return dayOf(year, b, a)
  if (b > 12) return dayOf(year, a, b)
  // Languages that put full stops between the numbers write the day first.
  if (mark === "." && order !== "mdy") return dayOf(year, b, a)
  if (order === "dmy" || order === "ymd") return dayOf(year, b, a)
  return order === "mdy" && mark !== "." ? dayOf(year, a, b) : null
}

const orders = new Map<string, string>()

/** The order of day, month and year by language and country: `dmy`, `mdy` or `ymd`. Null for English without a country. */
function orderOf({ language, country }: DateWriting): string | null {
  if (language === null || (language === "en" && country === null)) return null
  const tag = country === null ? language : `${language}-${country.toUpperCase()}`
  let order = orders.get(tag)
  if (order === undefined) {
    order = new Intl.DateTimeFormat(tag, { timeZone: "UTC" })
      .formatToParts(0)
      .map(({ type }) => (/^(?:day|month|year)$/.test(type) ? type[0] : ""))
      .join("")
    if (orders.size < 1000) orders.set(tag, order)
  }
  return order
}

interface Token {
  readonly text: string
  readonly from: number
  readonly to: number
}

function daysInWords(text: string, writing: DateWriting): WrittenDay[] {
  const tokens: Token[] = Array.from(text.matchAll(TOKEN), ({ 0: word, index }) => ({
    text: word,
    from: index,
    to: index + word.length,
  }))
  const days: WrittenDay[] = []
  for (const at of nearYears(tokens)) {
    const token = tokens[at]!
    if (!/^\p{L}/u.test(token.text)) continue
    const parts = partsAround(text, tokens, at)
    const month = parts === null ? null : monthNamed(token.text, writing.language)
    if (parts === null || month === null) continue
    const time = dayOf(Number(tokens[parts.year]!.text), month, Number(tokens[parts.day]!.text))
    const places = [at, parts.year, parts.day]
    if (time !== null)
      days.push({
        time,
        from: tokens[Math.min(...places)]!.from,
        to: tokens[Math.max(...places)]!.to,
      })
  }
  return days
}

/** Maximum number of tokens between a month and its year: the day and small words. */
const YEAR_TOKENS = 2 * FILLERS + 2

function nearYears(tokens: readonly Token[]): ReadonlySet<number> {
  const near = new Set<number>()
  for (const [year, { text }] of tokens.entries()) {
    if (text.length !== 4 || !/^(?:19|2[05])\d\d$/.test(text)) continue
    const end = Math.min(tokens.length, year + YEAR_TOKENS + 1)
    for (let at = Math.max(0, year - YEAR_TOKENS); at < end; at++) near.add(at)
  }
  return near
}

/** Finds the tokens of the day and the year around a month: `5 May 2020`, `May 5, 2020`, `2020 May 5`. */
function partsAround(
  text: string,
  tokens: readonly Token[],
  at: number,
): { readonly day: number; readonly year: number } | null {
  const after = numberFrom(text, tokens, at, 1)
  const before = numberFrom(text, tokens, at, -1)
  const isYear = (one: number | null) => one !== null && tokens[one]!.text.length === 4
  const isDay = (one: number | null) =>
    one !== null && tokens[one]!.text.length <= 2 && !isOfClock(text, tokens[one]!)
  if (isDay(before) && isYear(after)) return { day: before!, year: after! }
  if (isYear(before) && isDay(after)) return { day: after!, year: before! }
  for (const [day, step] of [
    [after, 1],
    [before, -1],
  ] as const) {
    const year = isDay(day) ? numberFrom(text, tokens, day!, step) : null
    if (isYear(year)) return { day: day!, year: year! }
  }
  return null
}

const isOfClock = (text: string, { from, to }: Token): boolean =>
  /\d:$/.test(text.slice(Math.max(0, from - 2), from)) || /^:\d/.test(text.slice(to, to + 2))

/** The next number on one side of a token, skipping small words. */
function numberFrom(text: string, tokens: readonly Token[], at: number, step: 1 | -1): number | null {
  for (let next = at + step, words = 0; words <= FILLERS; next += step, words++) {
    const token = tokens[next]
    if (token === undefined || !isBetween(text, tokens[next - step]!, token)) return null
    if (/^\d/.test(token.text)) return next
    if (token.text.length > FILLER_CHARS) return null
  }
  return null
}

const isBetween = (text: string, one: Token, other: Token): boolean =>
  BETWEEN.test(one.from < other.from ? text.slice(one.to, other.from) : text.slice(other.to, one.from))

/** The time of a day; null if it isn't a valid day or can't be the date of a page. */
function dayOf(year: number, month: number, day: number): number | null {
  const own = year > 2400 ? year - BUDDHIST_YEARS : year
  if (own < EARLIEST_YEAR || month < 1 || month > 12 || day < 1) return null
  if (day > new Date(Date.UTC(own, month, 0)).getUTCDate()) return null
  const time = Date.UTC(own, month - 1, day)
  return time <= Date.now() + DAY_MS ? time : null
}

/** Converts a digit of another script. Digits come in blocks of ten that begin with zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!
  let zero = code
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}
