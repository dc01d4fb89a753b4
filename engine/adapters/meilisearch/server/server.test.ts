import { expect, test } from "vitest"
import { Server, TaskFailed } from "./server.ts"
import { type Answer, startServer } from "../testing/scripted-server.ts"

const ok = (body: unknown): Answer => ({ status: 200, body })
const version = (pkgVersion: string) => ok({ pkgVersion, commitSha: "", commitDate: "" })

async function failureOf(server: Server, asked: Promise<unknown>): Promise<unknown> {
  return await asked.then(
    () => expect.unreachable(),
    (error: unknown) => server.explain(error),
  )
}

test.each(["1.49.3", "0.30.0", "2.0.0"])(
  "a server of version %s is rejected, with the supported versions",
  async (old) => {
    await using scripted = await startServer(() => version(old))
    const server = new Server({ url: scripted.url, key: "", patienceMs: 0 })
    expect(await failureOf(server, server.checkVersion())).toMatchObject({
      code: "ENGINE_UNAVAILABLE",
      message: `Meilisearch at ${scripted.url} has version ${old}; this Fossick needs 1.50 or newer, before 2.0. Start a supported version.`,
    })
  },
)

test.each(["1.50.0", "1.51.2"])("a server of version %s is accepted", async (pkgVersion) => {
  await using scripted = await startServer(() => version(pkgVersion))
  await expect(
    new Server({ url: scripted.url, key: "", patienceMs: 0 }).checkVersion(),
  ).resolves.toBeUndefined()
})

test("a server that is busy, or briefly unreachable, is asked again", async () => {
  const answers = [{ status: 503, body: {} }, null, { status: 429, body: {} }, version("1.50.0")]
  await using scripted = await startServer((_, nth) => answers[nth]!)
  await new Server({ url: scripted.url, key: "", patienceMs: 60_000 }).checkVersion()
  expect(scripted.requests).toHaveLength(4)
})

test("a server that stays down, stays busy or has a full disk is named, with what to do", async () => {
  const gone = new Server({ url: "http://127.0.0.1:9", key: "", patienceMs: 0 })
  expect(await failureOf(gone, gone.checkVersion())).toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message: expect.stringMatching(
      /127\.0\.0\.1:9 cannot be reached \(.+\)\. Start it, or correct FOSSICK_MEILI_URL/,
    ),
  })
  await using busy = await startServer(() => ({ status: 503, body: {} }))
  const server = new Server({ url: busy.url, key: "", patienceMs: 0 })
  expect(await failureOf(server, server.checkVersion())).toMatchObject({
    message: expect.stringContaining("is too busy to answer (503)"),
  })
  await using full = await startServer(() => ({
    status: 507,
    body: { code: "no_space_left_on_device", message: "x", type: "system", link: "" },
  }))
  const other = new Server({ url: full.url, key: "", patienceMs: 0 })
  expect(await failureOf(other, other.checkVersion())).toMatchObject({
    message: expect.stringContaining("has no space left"),
  })
})

test("a response that is not JSON is handled too, such as a proxy's", async () => {
  const html = () => Promise.resolve({ status: 500, text: "<h1>Bad gateway</h1>" })
  const server = new Server({ url: "http://127.0.0.1:9", key: "", patienceMs: 0, send: html })
  expect(await failureOf(server, server.checkVersion())).toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message: expect.stringContaining("answered 500"),
  })
})

test("a task is awaited to its end, and its failure shows who is at fault", async () => {
  const error = (type: string, code: string) => ({
    status: "failed",
    error: { type, code, message: "No.", link: "" },
  })
  const answers = [
    { status: "enqueued" },
    { status: "processing" },
    { status: "succeeded" },
    error("invalid_request", "invalid_document_fields"),
    error("internal", "internal"),
    { status: "canceled" },
  ]
  await using scripted = await startServer((_, nth) => ok(answers[nth]))
  const server = new Server({ url: scripted.url, key: "", patienceMs: 0 })
  const task = Promise.resolve({ taskUid: 7 } as Parameters<Server["allDone"]>[0][number])
  await server.done(task)
  expect(scripted.requests.map(({ path }) => path)).toEqual(["/tasks/7", "/tasks/7", "/tasks/7"])
  await expect(server.done(task)).rejects.toSatisfy(
    (failed) => failed instanceof TaskFailed && failed.refused,
  )
  await expect(server.done(task)).rejects.toSatisfy(
    (failed) => failed instanceof TaskFailed && !failed.refused,
  )
  await expect(server.done(task)).rejects.toThrow(/cancelled/)
})
