/** A mutant that no test notices, looked at by somebody: nothing that anyone can see differs. */
export interface Judged {
  readonly file: string
  /** The first line that it changes, without the white space around it. */
  readonly line: string
  /** Stryker's name for the kind of change. */
  readonly mutator: string
  /** What stands there instead; left out: whatever this mutator makes of that line. */
  readonly replacement?: string
  readonly why: string
}

export const JUDGED: readonly Judged[] = [
  {
    file: "base/audit/audit-log.ts",
    line: "#written = COUNT_EVERY - 1",
    mutator: "ArithmeticOperator",
    why: "At the bound or beyond it, the first entry has them counted, and the number begins anew.",
  },
  {
    file: "base/audit/field-changes.ts",
    line: 'if (value !== null && value !== undefined) walk(value, "", 0)',
    mutator: "ConditionalExpression",
    replacement: "true",
    why: "What is undefined has no fields there either; null has a test of its own.",
  },
  {
    file: "base/flow/breather.ts",
    line: "if (performance.now() - since < HOLD_MS) return",
    mutator: "EqualityOperator",
    replacement: "performance.now() - since <= HOLD_MS",
    why: "It differs at one instant, which no clock shows.",
  },
  {
    file: "base/flow/fair-queue.ts",
    line: "const at = waiting?.indexOf(item) ?? -1",
    mutator: "UnaryOperator",
    why: "Where nothing waits for the party, the next line returns before it looks at the place.",
  },
  {
    file: "base/flow/fair-queue.ts",
    line: "if (waiting === undefined || at < 0) return false",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "Of the party that has nothing waiting the place is -1 already; the other half of this line has a test of its own.",
  },
  {
    file: "base/flow/queued-budget.ts",
    line: "if (bytes < 0) this.#wake()",
    mutator: "ConditionalExpression",
    replacement: "true",
    why: "Who is woken looks for room himself, and taking more makes none: it spares looks.",
  },
  {
    file: "base/flow/queued-budget.ts",
    line: "if (bytes < 0) this.#wake()",
    mutator: "EqualityOperator",
    replacement: "bytes <= 0",
    why: "As above: nothing makes no room.",
  },
  {
    file: "base/flow/queued-budget.ts",
    line: "if (this.#isClosed) return",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "A second end has nothing left to give back, and takes out what is no longer there.",
  },
  {
    file: "base/text/duration.ts",
    line: 'return duration(seconds < 60 ? seconds : Math.round(seconds / 60) * 60).replace(" 0 s", "")',
    mutator: "EqualityOperator",
    replacement: "seconds <= 60",
    why: "A minute is a minute, rounded or not.",
  },
  {
    file: "base/text/near-names.ts",
    line: ".sort((a, b) => a.slips - b.slips || (a.one < b.one ? -1 : 1))",
    mutator: "EqualityOperator",
    replacement: "a.one <= b.one",
    why: "It differs for two names that are the same.",
  },
  {
    file: "base/text/near-names.ts",
    line: "if (Math.abs(a.length - b.length) > limit) return limit + 1",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "It spares work: names whose lengths differ by more are farther apart in any case.",
  },
  {
    file: "base/text/near-names.ts",
    line: "let before: number[] = []",
    mutator: "ArrayDeclaration",
    why: "It is read from the second letter on, when the row of the first stands in it.",
  },
  {
    file: "base/text/retry-after.ts",
    line: 'const value = header?.trim() ?? ""',
    mutator: "StringLiteral",
    why: "Any text that is neither a number nor a date asks for nothing.",
  },
  {
    file: "base/text/written-date.ts",
    line: "return time >= EARLIEST && time <= Date.now() + DAY_MS ? time : null",
    mutator: "EqualityOperator",
    replacement: "time < Date.now() + DAY_MS",
    why: "It differs at one instant, which no clock shows.",
  },
  {
    file: "crawler/frontier/host-queues.ts",
    line: "for (const { url } of this.#hosts.get(host)?.ready.splice(0) ?? []) this.#handedOut.delete(url)",
    mutator: "ArrayDeclaration",
    why: "It takes out what is not there.",
  },
  {
    file: "crawler/frontier/host-queues.ts",
    line: "if (now < this.#sleepUntil) return null",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "It spares a look at each host, of which none would give anything.",
  },
  {
    file: "crawler/frontier/host-queues.ts",
    line: "if (now < this.#sleepUntil) return false",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "As above.",
  },
  {
    file: "crawler/frontier/host-queues.ts",
    line: "const free = Math.max(pace.freeAt(now), ready.length > 0 ? now : emptyUntil)",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "What is ready was found when the store was not empty: that time is over.",
  },
  {
    file: "crawler/frontier/host-queues.ts",
    line: "if (first <= now) break",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "It spares looks: nothing comes before now.",
  },
  {
    file: "crawler/frontier/host-queues.ts",
    line: "if (first <= now) break",
    mutator: "EqualityOperator",
    replacement: "first < now",
    why: "As above: it is never before now.",
  },
  {
    file: "crawler/frontier/known-listings.ts",
    line: "const kept = whole ? [namedAt, etag, lastModified, readAt] : [null, null, null, null]",
    mutator: "ArrayDeclaration",
    replacement: "[]",
    why: "SQLite takes what is not given for null.",
  },
  {
    file: "crawler/frontier/lost-pages.ts",
    line: 'return Number(row?.["n"])',
    mutator: "OptionalChaining",
    why: "A count gives a row.",
  },
  {
    file: "crawler/frontier/lost-pages.ts",
    line: 'return Number(row?.["n"]) + this.count()',
    mutator: "OptionalChaining",
    why: "A count gives a row.",
  },
  {
    file: "crawler/frontier/lost-pages.ts",
    line: 'for (let last = ""; ;) {',
    mutator: "StringLiteral",
    replacement: '"Stryker was here!"',
    why: "Every address begins with http, which comes behind it.",
  },
  {
    file: "crawler/frontier/lost-pages.ts",
    line: "if (urls.length === 0) return",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "It would forget sooner what no longer counts.",
  },
  {
    file: "crawler/frontier/outcome-book.ts",
    line: "if (before === null || before === outcome) return",
    mutator: "ConditionalExpression",
    replacement: "false",
    why: "What is not open and cannot join has an outcome; the other half of this line has a test of its own.",
  },
  {
    file: "crawler/frontier/page-links.ts",
    line: 'let after = ""',
    mutator: "StringLiteral",
    replacement: '"Stryker was here!"',
    why: "Every address begins with http, which comes behind it.",
  },
  {
    file: "crawler/frontier/page-links.ts",
    line: 'after = String(rows.at(-1)?.["url"])',
    mutator: "OptionalChaining",
    why: "There is a last row: the chunk is full.",
  },
  {
    file: "crawler/frontier/suspects.ts",
    line: "this.#ended.delete(url)",
    mutator: "CallExpression",
    why: "It spares a note of a page that has its outcome.",
  },
  {
    file: "crawler/frontier/suspects.ts",
    line: "this.#begun.clear()",
    mutator: "CallExpression",
    why: "It spares a note that a page is not being read, as is noted already.",
  },
  {
    file: "crawler/frontier/suspects.ts",
    line: "this.#ended.clear()",
    mutator: "CallExpression",
    why: "As above.",
  },
  {
    file: "engine/ranking/arrange.ts",
    line: "if (different.length >= limit || count >= all.length) {",
    mutator: "EqualityOperator",
    replacement: "count > all.length",
    why: "Another round looks at the same pages, all of which are known.",
  },
  {
    file: "engine/ranking/word-evidence.ts",
    line: "const place = possible[hash & (SLOTS - 1)] === 1 ? places.get(hash) : undefined",
    mutator: "ConditionalExpression",
    replacement: "true",
    why: "It spares look-ups: no word has a place whose slot is empty.",
  },
  {
    file: "engine/ranking/word-evidence.ts",
    line: "if (said > pairs) pairs = said",
    mutator: "EqualityOperator",
    replacement: "said >= pairs",
    why: "What is as much is as much.",
  },
]
