import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { afterAll, beforeAll, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { makeCertificate } from "#crawler/fetch/connect/make-certificate.ts"
import { picture } from "#crawler/testing/pictures.ts"
import { type SecureSite, startSecureSite } from "#crawler/testing/secure-site.ts"
import { article } from "#crawler/testing/test-site.ts"

import { type Appliance, startAppliance } from "./testing/appliance.ts"

// Tests FOSSICK_CA_FILE end to end: every process of the appliance trusts the authority in that file, and all of them
// need it.

const FOSSICK = join(import.meta.dirname, "../command/fossick.js")
const folder = mkdtempSync(join(tmpdir(), "fossick-authority-"))
const caFile = join(folder, "root.pem")
const root = makeCertificate({ subject: "Example Works Root", isAuthority: true })
const certificate = makeCertificate({ subject: "intranet", names: ["127.0.0.1"], issuer: root })

let site: SecureSite
let appliance: Appliance

beforeAll(async () => {
  writeFileSync(caFile, root.cert)
  const image = await picture(1)
  const serve: RequestListener = (request, response) => {
    const { url = "" } = request
    request.resume()
    if (url === "/")
      response.writeHead(200, { "content-type": "text/html" }).end(
        article("Bells", {
          text: `<img src="/bell.png" alt="A bell">${"A bell is cast in bronze. ".repeat(20)}`,
        }),
      )
    else if (url === "/bell.png") response.writeHead(200, { "content-type": "image/png" }).end(image)
    else if (url === "/v1/chat/completions")
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ choices: [{ message: { content: "A bell is cast in bronze. [1]" } }] }))
    else response.writeHead(url === "/hook" ? 204 : 404).end()
  }
  site = await startSecureSite(certificate, { answer: serve })
  const sourcesFile = join(folder, "sources.yaml")
  writeFileSync(
    sourcesFile,
    `sources: [{ name: bells, seeds: "${site.url("/")}", webhooks: [{ url: "${site.url("/hook")}" }], schedule: { everyHours: 24 } }]`,
  )
  appliance = await startAppliance({
    FOSSICK_CA_FILE: caFile,
    FOSSICK_SOURCES_FILE: sourcesFile,
    FOSSICK_HANDBOOK: "off",
    FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
    FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
    FOSSICK_LLM_URL: site.url("/v1"),
    FOSSICK_LLM_MODEL: "test",
    FOSSICK_LOG_LEVEL: "silent",
  })
})

afterAll(async () => {
  await appliance?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function call(path: string, body: object) {
  const response = await fetch(appliance.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${appliance.apiKey}` },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Record<string, unknown>
}

test("pages, images, webhooks, live calls and the language model trust the operator's authority", async () => {
  await call("/admin/sources/bells/run", {})
  // The model is tried at startup, in parallel with the crawl.
  await expect
    .poll(() => site.requests.map(({ path }) => path))
    .toEqual(expect.arrayContaining(["/robots.txt", "/sitemap.xml", "/", "/bell.png", "/hook"]))
  expect(await call("/extract", { urls: [site.url("/")], timeout: 60 })).toMatchObject({
    results: [{ raw_content: expect.stringContaining("cast in bronze") }],
    failed_results: [],
  })
  await call("/search", { query: "What is a bell cast in?", include_answer: true })
  expect(site.requests.map(({ path }) => path)).toContain("/v1/chat/completions")
})

test("a command trusts it too, and says without it what is missing", async () => {
  const look = async (env: Record<string, string>) =>
    await promisify(execFile)(process.execPath, [FOSSICK, "try", site.url("/")], {
      cwd: folder,
      env: { ...CHILD_ENV, FOSSICK_DATA_DIR: join(folder, "data"), ...env },
    }).catch((error: { stdout: string; stderr: string }) => error)
  expect((await look({ FOSSICK_CA_FILE: caFile })).stdout).toContain("cast in bronze")
  const without = await look({})
  expect(without.stdout).toContain('issued by "Example Works Root"')
  expect(without.stdout).toContain("FOSSICK_CA_FILE")
})
