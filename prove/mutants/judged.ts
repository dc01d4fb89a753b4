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
]
