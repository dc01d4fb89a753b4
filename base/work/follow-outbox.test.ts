import { pino } from "pino"
import { expect, test } from "vitest"
import { until } from "../testing/until.ts"
import { followOutbox, type FollowOptions } from "./follow-outbox.ts"
import type { Message } from "./outbox.ts"
import type { Attempt } from "./retries.ts"

const TAKEN: Attempt = { error: null, status: 204 }

const message = (id: string, receiver: string, key: string | null = null): Message => ({
  id,
  receiver,
  key,
  state: "waiting",
  attempts: 0,
  createdAt: new Date(0),
  lastAttemptAt: null,
  nextAttemptAt: new Date(0),
  lastStatus: null,
  lastError: null,
})

/** Sends messages from memory, one at a time per receiver. */
function follow(given: readonly Message[], options: Partial<FollowOptions<unknown>> = {}) {
  const waiting = [...given]
  const lines: string[] = []
  const settled: string[] = []
  const stop = new AbortController()
  const done = followOutbox({
    outbox: {
      due: async (busy, limit, served) => {
        const free = waiting.filter(
          ({ receiver, key }) => !busy.has(receiver) && served?.includes(key ?? "") !== true,
        )
        const first = new Map(free.toReversed().map((one) => [one.receiver, one]))
        return [...first.values()].slice(0, limit)
      },
      settle: async (id) => {
        settled.push(id)
        waiting.splice(
          waiting.findIndex((one) => one.id === id),
          1,
        )
      },
      prune: async () => undefined,
    },
    called: ["a letter", "letters"],
    attempt: async () => TAKEN,
    log: pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }),
    signal: stop.signal,
    pollMs: 1,
    ...options,
  })
  return {
    settled,
    lines,
    stop: async () => {
      stop.abort()
      await done
    },
  }
}

test("a slow receiver holds up no other, and a stop in the middle of an attempt records nothing", async () => {
  const stop = Promise.withResolvers<void>()
  const { settled, ...following } = follow(
    [message("1", "slow"), message("2", "quick"), message("3", "quick")],
    {
      attempt: async ({ receiver }) => {
        if (receiver === "quick") return TAKEN
        await stop.promise
        return { error: "cut short", status: null, final: false }
      },
    },
  )
  await until(async () => settled.length === 2)
  const stopped = following.stop()
  stop.resolve()
  await stopped
  expect(settled).toEqual(["2", "3"])
})

test("receivers of one key use at most half of the slots", async () => {
  const slow = Promise.withResolvers<Attempt>()
  const begun: string[] = []
  const following = follow(
    [1, 2, 3, 4].map((at) => message(`a${at}`, `a${at}`, "a")).concat(message("b1", "b1", "b")),
    {
      receivers: 4,
      attempt: async ({ id }) => {
        begun.push(id)
        return await slow.promise
      },
    },
  )
  await until(async () => begun.includes("b1"))
  expect(begun.filter((id) => id.startsWith("a"))).toHaveLength(2)
  slow.resolve(TAKEN)
  await following.stop()
})

test("errors are logged, and the next round tries again", async () => {
  let looks = 0
  const { settled, lines, stop } = follow([message("1", "a"), message("2", "b")], {
    async collect() {
      looks += 1
      if (looks === 1) throw new Error("no notes")
    },
    attempt: async ({ id }) => {
      if (id === "1" && looks === 2) throw new Error("a bug")
      return TAKEN
    },
  })
  await until(async () => settled.length === 2)
  await stop()
  expect(lines.join("")).toMatch(
    /no notes.*letters will be tried again[\s\S]*a bug.*a letter could not be sent/,
  )
})

test("nothing is sent while this process may not send, and needless messages are not recorded", async () => {
  let looks = 0
  const asked: string[] = []
  const { settled, stop } = follow([message("1", "a"), message("2", "b")], {
    maySend: async () => (looks += 1) > 3,
    attempt: async ({ id }) => {
      asked.push(`${id} ${looks > 3}`)
      return id === "1" ? null : TAKEN
    },
  })
  await until(async () => settled.length === 1)
  await stop()
  expect(settled).toEqual(["2"])
  expect(asked).toContain("1 true")
  expect(asked.join()).not.toContain("false")
})

test("a brisk outbox sends one message after another without waiting for the next round", async () => {
  const { settled, stop } = follow([message("1", "a"), message("2", "a"), message("3", "a")], {
    isBrisk: true,
    receivers: 1,
    // Longer than this test waits.
    pollMs: 3_600_000,
  })
  await until(async () => settled.length === 3)
  await stop()
  expect(settled).toEqual(["1", "2", "3"])
})
