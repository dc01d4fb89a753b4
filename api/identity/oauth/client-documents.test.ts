import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { isDocumentAddress } from "./client-documents.ts"
import { type ProgramSite, startProgramSite } from "./testing/program-site.ts"

const CALLBACK = "https://program.example/callback"
const HOUR = 3_600_000
let site: ProgramSite

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  site = await startProgramSite({ client_name: "Reader", redirect_uris: [CALLBACK] })
})
afterEach(async () => {
  vi.useRealTimers()
  await site[Symbol.asyncDispose]()
})

test("a document is read once an hour for all callers, and stays valid for a day if its site is down", async () => {
  const { documents, id } = site
  const reader = { name: "Reader", redirectUris: [CALLBACK] }
  expect(await Promise.all([documents.client(id), documents.client(id)])).toEqual([reader, reader])
  await documents.client(id)
  expect(site.asked()).toEqual(["/client.json"])
  vi.setSystemTime(Date.now() + 2 * HOUR)
  site.say({ client_name: "Writer", redirect_uris: [CALLBACK] })
  expect(await documents.client(id)).toMatchObject({ name: "Writer" })
  vi.setSystemTime(Date.now() + 2 * HOUR)
  site.say(null)
  expect(await documents.client(id)).toMatchObject({ name: "Writer" })
  vi.setSystemTime(Date.now() + 24 * HOUR)
  expect(await documents.client(id)).toBeNull()
})

test.each([
  ["names another program", { client_id: "https://elsewhere.example/client.json" }],
  ["shares a secret", { client_secret: "hunter2" }],
  ["shows itself by a key", { token_endpoint_auth_method: "private_key_jwt" }],
  ["says nowhere to go back to", { redirect_uris: "everywhere" }],
])("rejects a document that %s", async (_, said) => {
  site.say({ redirect_uris: [CALLBACK], ...said })
  expect(await site.documents.client(site.id)).toBeNull()
})

test("no redirect is followed, nothing long is read, and no private network is reached", async () => {
  for (const path of ["/away", "/long"]) expect(await site.documents.client(site.url(path))).toBeNull()
  expect(site.asked()).toEqual(["/away", "/long"])
  expect(await site.documents.client(site.id.replace("program.", "inside."))).toBeNull()
  expect(site.asked()).toHaveLength(2)
})

test("accepts an id as a document address only as the draft defines it", () => {
  expect(isDocumentAddress("https://program.example/client.json")).toBe(true)
  for (const id of [
    "0b6f2c1e-registered",
    "http://program.example/client.json",
    "https://program.example/",
    "https://program.example/client.json#part",
    "https://me:secret@program.example/client.json",
    "https://program.example/a/../client.json",
    "https://PROGRAM.example/client.json",
    "https://127.0.0.1/client.json",
    `https://program.example/${"x".repeat(2000)}`,
  ])
    expect(isDocumentAddress(id)).toBe(false)
})
