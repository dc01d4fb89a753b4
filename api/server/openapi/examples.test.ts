import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { Jobs, openStateStore, type StateStore } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"

import { openAdmin } from "../../operator/admin/open-admin.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { documentsOf } from "../../services/documents/testing/documents-of.ts"
import { watchesOf } from "../../services/watches/testing/watches-of.ts"
import { answerOf, expectDocumented, type ServedApp, serveApp, TEST_KEY } from "../../testing/serve-app.ts"
import { operations } from "./testing/documented.ts"
import { EVENT_STREAM, type Example, type Operation } from "../operation/operation.ts"

// Sends every example in the document, unchanged, to a real app, in the order of the document, since a source must be
// declared before it is shown.

const JSON_TYPE = "application/json"
const folder = mkdtempSync(join(tmpdir(), "fossick-examples-"))
const engine = new FakeEngine([hit()])
let db: StateStore
const opened = new AsyncDisposableStack()
let app: ServedApp

beforeAll(async () => {
  db = await openStateStore(folder)
  const jobs = new Jobs(db)
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder })
  const crawlerConfig = testConfig({ FOSSICK_ALLOWED_NETWORKS: "" })
  app = await serveApp({
    engine,
    admin: () => openAdmin({ db, engine, jobs, crawlerConfig, engineConfig }),
    documents: documentsOf({ db, dataDir: folder, closing: opened }),
    watches: await watchesOf({ db, engine, crawlerConfig }),
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await opened.disposeAsync()
  db.close()
  rmSync(folder, { recursive: true })
})

const calls = operations.flatMap((operation) =>
  (operation.examples ?? []).map((example) => ({
    name: `${operation.id}: ${example.summary}`,
    operation,
    example,
  })),
)

describe("the response to each example", () => {
  test.each(calls)("$name", async ({ operation, example }) => {
    const answer = await make(operation, example)
    expect(answer.status).toBe(example.status)
  })
})

async function make({ method, path, access, answers }: Operation, example: Example) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(example.path![name]!))
  const query = new URLSearchParams(example.query).toString()
  const response = await fetch(`${app.url}${filled}${query === "" ? "" : `?${query}`}`, {
    method: method.toUpperCase(),
    headers: {
      ...(access !== "none" && { Authorization: `Bearer ${TEST_KEY}` }),
      ...(example.body && { "Content-Type": "application/json" }),
    },
    ...(example.body && { body: JSON.stringify(example.body) }),
  })
  const { type = JSON_TYPE, streams = false } = answers[response.status] ?? {}
  const [sent = ""] = response.headers.get("content-type")?.split(";") ?? []
  expect([type, ...(streams ? [EVENT_STREAM] : [])]).toContain(sent)
  if (sent !== JSON_TYPE) {
    await response.text()
    return response
  }
  const answer = await answerOf(response)
  expectDocumented(method, filled, answer)
  return answer
}
