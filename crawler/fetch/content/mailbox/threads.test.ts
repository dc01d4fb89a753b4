import { expect, test } from "vitest"
import { type ThreadedMessage, threadsOf } from "./threads.ts"

let clock = 0

const message = (id: string | null, refs: readonly string[] = [], more: Partial<ThreadedMessage> = {}) => ({
  key: id ?? `key ${(clock += 1)}`,
  id,
  refs,
  sentAt: (clock += 1000),
  chars: 10,
  thread: null,
  ...more,
})

/** The messages of each page, in order. */
function pages(messages: readonly ThreadedMessage[]): string[][] {
  const places = threadsOf(messages)
  const groups = Map.groupBy(
    places.map((place, at) => ({ ...place, key: messages[at]!.key })).filter(({ place }) => place >= 0),
    ({ thread, page }) => `${thread} ${page}`,
  )
  return [...groups.values()].map((group) =>
    group.toSorted((a, b) => a.place - b.place).map(({ key }) => key),
  )
}

/** The messages with their threads, as they are stored by the time more messages arrive. */
const kept = (messages: readonly ThreadedMessage[]): ThreadedMessage[] => {
  const places = threadsOf(messages)
  return messages.map((one, at) => ({ ...one, thread: places[at]!.thread }))
}

test("replies join the thread of the message they answer, even when it is missing", () => {
  const a = message("a")
  const b = message("b", ["a"])
  const c = message("c", ["a", "b"])
  expect(pages([c, a, message("x"), b])).toEqual([["a", "b", "c"], ["x"]])
  expect(pages([message("d", ["lost"]), message("e", ["lost"]), message("f", ["other"])])).toEqual([
    ["d", "e"],
    ["f"],
  ])
})

test("a thread keeps its name when its root arrives late or is deleted", () => {
  const [answer] = kept([message("b", ["a"])])
  const [root, before] = kept([message("a", ["older"]), answer!])
  expect([root!.thread, before!.thread]).toEqual([answer!.thread, answer!.thread])
  const [alone] = kept([message("c", ["b"], { thread: answer!.thread })])
  expect(alone!.thread).toBe(answer!.thread)
})

test("joined threads keep the name of the older one, and a part that splits off gets a new name", () => {
  const [a, b] = kept([message("a"), message("b")])
  const joined = kept([a!, b!, message("c", ["a", "b"])])
  expect(new Set(joined.map(({ thread }) => thread))).toEqual(new Set([a!.thread]))
  const apart = kept(joined.slice(0, 2))
  expect(apart[0]!.thread).toBe(a!.thread)
  expect(apart[1]!.thread).not.toBe(a!.thread)
})

test("circular references do no harm, and no reply comes before its question", () => {
  const a = message("a", ["b"], { sentAt: 5 })
  const b = message("b", ["c"], { sentAt: 9 })
  const c = message("c", ["a"], { sentAt: 7 })
  expect(pages([a, b, c]).map((page) => page.toSorted())).toEqual([["a", "b", "c"]])
  const late = message("question", [], { sentAt: 100 })
  const early = message("answer", ["question"], { sentAt: 1 })
  const undated = message("undated", ["answer"], { sentAt: null })
  expect(pages([early, undated, late])).toEqual([["question", "answer", "undated"]])
})

test("the longest copy of a message is shown, and so are all different messages that share an id", () => {
  const short = message("a", [], { chars: 5, key: "k", sentAt: 1 })
  const long = message("a", [], { chars: 50, key: "k", sentAt: 1 })
  const other = message("a", [], { key: "other" })
  const places = threadsOf([short, long, other])
  expect(places.map(({ place }) => place)).toEqual([-1, 0, 1])
  expect(new Set(places.map(({ thread }) => thread)).size).toBe(1)
})

test("messages without an id are threads of their own", () => {
  expect(pages([message(null), message(null)])).toHaveLength(2)
})

test("a very long thread has several pages, and a new message changes only the last one", () => {
  const root = message("root")
  const answers = Array.from({ length: 700 }, (_, at) => message(`answer ${at}`, ["root"]))
  const before = pages([root, ...answers])
  expect(before.map((page) => page.length)).toEqual([300, 300, 101])
  const after = pages([root, ...answers, message("new", ["root"])])
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
  expect(pages([message("a", [], { chars: 900_000 }), message("b", ["a"], { chars: 200_000 })])).toEqual([
    ["a"],
    ["b"],
  ])
})

test("a chain of a hundred thousand replies does not overflow the stack", () => {
  const chain = Array.from({ length: 100_000 }, (_, at) => message(`m${at}`, at === 0 ? [] : [`m${at - 1}`]))
  expect(new Set(threadsOf(chain.toReversed()).map(({ thread }) => thread)).size).toBe(1)
})
