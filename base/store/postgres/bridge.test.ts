import { Worker } from "node:worker_threads"
import { expect, onTestFinished, test, vi } from "vitest"
import { freePort } from "../../testing/free-port.ts"
import { until } from "../../testing/until.ts"
import type { Rows, ServerLocation } from "./asked.ts"
import { Bridge, PostgresError } from "./bridge.ts"

/**
 * A thread that tells what it was asked so far, with its own number; it says nothing to scripts and of schemas that are `silent`, and no
 * of those that are `refused`.
 */
const program = (channel: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { threadId, workerData } from "node:worker_threads"
      const { port, signal } = workerData
      const seen = []
      const channel = new BroadcastChannel(${JSON.stringify(channel)})
      channel.onmessage = ({ data }) => data === "who is there?" && channel.postMessage(threadId)
      port.on("message", (asked) => {
        const { kind, connection, location = {}, ms } = asked
        seen.push([threadId, connection, kind, ms])
        if (kind === "script" || location.schema === "silent") return
        const failure = { message: "no", code: "42501" }
        port.postMessage(location.schema === "refused" ? { failure } : { value: { columns: [], rows: seen, changes: 0 } })
        Atomics.add(signal, 0, 1)
        Atomics.notify(signal, 0)
      })`)}`,
  )

const located = (schema: string): { -readonly [K in keyof ServerLocation]: ServerLocation[K] } => ({
  url: "postgres://db/fossick",
  password: "",
  schema,
})
const run = { kind: "run", sql: "select 1", values: [], alone: false } as const
/** What a thread was asked, by connection, without the number of the thread. */
const seenIn = (rows: Rows | null) =>
  rows!.rows.map(([, ...asked]) => asked.filter((one) => one !== undefined))
const threadIn = (rows: Rows | null) => rows!.rows[0]![0]

function failureOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}
const NO_ANSWER = {
  name: "PostgresError",
  code: "08000",
  isUnreachable: true,
  message: "The PostgreSQL server of the state cannot be reached (no answer).",
}

test("the thread beside is one for all connections, and keeps no process from ending", () => {
  const unref = vi.spyOn(Worker.prototype, "unref")
  onTestFinished(() => unref.mockRestore())
  const bridge = new Bridge({ program: program("one") })
  const [first, cursor, second] = [bridge.open(located("a")), bridge.cursor(), bridge.open(located("b"))]
  expect([first, cursor, second]).toEqual([1, 2, 3])
  expect(seenIn(bridge.ask({ ...run, connection: second }))).toEqual([
    [first, "open"],
    [second, "open"],
    [second, "run"],
  ])
  bridge.close(first)
  bridge.close(first)
  const closed = () => bridge.ask({ ...run, connection: first })
  expect(closed).toThrow("The state store is not open.")
  expect(() => bridge.ask({ kind: "patience", connection: first, ms: 1 })).toThrow(
    "The state store is not open.",
  )
  expect(seenIn(bridge.ask({ ...run, connection: second })).slice(3)).toEqual([
    [first, "close"],
    [second, "run"],
  ])
  expect(unref).toHaveBeenCalledTimes(1)
})

test("a thread that does not answer is ended, and in the next one all is as it was asked for", async () => {
  const bridge = new Bridge({ program: program("next"), answerMs: 600_000, scriptMs: 50 })
  const location = located("a")
  const connection = bridge.open(location)
  bridge.ask({ kind: "patience", connection, ms: 5 })
  bridge.ask({ kind: "durable", connection, isDurable: true })
  const before = bridge.ask({ kind: "patience", connection, ms: 6 })
  expect(seenIn(before).map(([, kind]) => kind)).toEqual(["open", "patience", "durable", "patience"])
  expect(failureOf(() => bridge.ask({ kind: "script", connection, sql: "", alone: true }))).toMatchObject(
    NO_ANSWER,
  )
  // A server that does not let it in at first.
  location.schema = "refused"
  for (let i = 0; i < 2; i++)
    expect(failureOf(() => bridge.ask({ ...run, connection }))).toMatchObject({
      code: "42501",
      isUnreachable: false,
    })
  location.schema = "a"
  const after = bridge.ask({ ...run, connection })
  expect(threadIn(after)).not.toBe(threadIn(before))
  expect(seenIn(after)).toEqual([
    [connection, "open"],
    [connection, "open"],
    [connection, "open"],
    [connection, "patience", 6],
    [connection, "durable"],
    [connection, "run"],
  ])
  const channel = new BroadcastChannel("next")
  onTestFinished(() => channel.close())
  let there: number[] = []
  channel.addEventListener("message", (event) => there.push((event as MessageEvent).data as number))
  await until(() => {
    const found = there
    there = []
    channel.postMessage("who is there?")
    return found.length === 1 && found[0] === threadIn(after)
  }, 50)
})

test("who opens one and is told nothing, or no, has opened none", () => {
  const bridge = new Bridge({ program: program("none"), answerMs: 50 })
  expect(failureOf(() => bridge.open(located("silent")))).toMatchObject(NO_ANSWER)
  expect(() => bridge.ask({ ...run, connection: 1 })).toThrow("The state store is not open.")
  const other = new Bridge({ program: program("no") })
  expect(failureOf(() => other.open(located("refused")))).toMatchObject({ message: "no" })
  expect(() => other.ask({ ...run, connection: 1 })).toThrow("The state store is not open.")
  other.close(1)
  const connection = other.open(located("a"))
  expect(seenIn(other.ask({ ...run, connection }))).toEqual([
    [1, "open"],
    [connection, "open"],
    [connection, "run"],
  ])
})

test("a server that is not there is told of by the thread with the sockets", async () => {
  const bridge = new Bridge({ program: new URL("./connections-thread.ts", import.meta.url) })
  const url = `postgres://fossick@127.0.0.1:${await freePort()}/fossick`
  expect(failureOf(() => bridge.open({ ...located("a"), url }))).toMatchObject({
    code: "ECONNREFUSED",
    isUnreachable: true,
  })
})

test("an error says whether the server cannot be reached, and whether others write", () => {
  const error = (code: string, message = "it said") => new PostgresError({ message, code })
  const GONE = "The PostgreSQL server of the state cannot be reached"
  for (const code of ["08006", "08P01", "57P01", "53300", "ECONNREFUSED", "EAI_AGAIN"])
    expect(error(code)).toMatchObject({ code, isUnreachable: true, message: `${GONE} (it said).` })
  // A statement that was cancelled, a disk that is full, a mistake, and what TLS says of a certificate or a version.
  for (const code of ["57014", "53100", "23505", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_SSL_TLSV1_ALERT", ""])
    expect(error(code)).toMatchObject({ code, isUnreachable: false, message: "it said" })
  for (const message of [
    "timeout expired",
    "Connection terminated",
    "Client was closed",
    "stream ended",
    "is not queryable",
    "a connection error",
  ])
    expect(error("", message)).toMatchObject({ isUnreachable: true, message: `${GONE} (${message}).` })
  expect(error("42601", "connection")).toMatchObject({ isUnreachable: false })
  expect(error("ECONNREFUSED", "").message).toBe(`${GONE} (ECONNREFUSED).`)
  expect([error("55P03").errcode, error("55P04").errcode, error("").name]).toEqual([
    5,
    undefined,
    "PostgresError",
  ])
})
