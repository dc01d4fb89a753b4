import { createHash } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"

import { openBuilt } from "./built.ts"
import { type ServedApp, serveApp } from "../testing/serve-app.ts"

let app: ServedApp

beforeAll(async () => {
  app = await serveApp()
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

const asBrowser = (path: string, headers: Record<string, string> = {}) =>
  fetch(app.url + path, { redirect: "manual", headers: { Accept: "text/html,*/*;q=0.8", ...headers } })

describe("the web pages", () => {
  test("/ serves a page to browsers, and sends programs to the handbook as before", async () => {
    const page = await asBrowser("/")
    expect(page.status).toBe(200)
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8")
    expect(await page.text()).toContain('<div id="face">')
    const program = await fetch(app.url, { redirect: "manual" })
    expect([program.status, program.headers.get("Location")]).toEqual([302, "docs/"])
    for (const { headers } of [page, program]) expect(headers.get("Vary")).toContain("Accept")
  })

  test("allow only their own files to run", async () => {
    const policy = (await asBrowser("/")).headers.get("Content-Security-Policy") ?? ""
    expect(policy).not.toContain("unsafe")
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy.split("; ")).toContain(rule)
    }
  })

  test("load compressed files, named by content hash and cached permanently", async () => {
    const html = await (await asBrowser("/")).text()
    const [, script = ""] = /src="(faces\/[^"]+\.js)"/.exec(html) ?? []
    const file = await asBrowser(`/${script}`, { "Accept-Encoding": "br" })
    expect(file.headers.get("Content-Encoding")).toBe("br")
    expect(file.headers.get("Content-Type")).toBe("text/javascript; charset=utf-8")
    expect(file.headers.get("Cache-Control")).toContain("immutable")
    expect(file.headers.get("X-Content-Type-Options")).toBe("nosniff")
    const plain = await asBrowser(`/${script}`, { "Accept-Encoding": "identity" })
    expect(plain.headers.get("Content-Encoding")).toBeNull()
    expect(await plain.text()).toBe(await file.text())
  })

  test("are not sent again if the browser has them", async () => {
    const first = await asBrowser("/")
    expect(first.headers.get("Cache-Control")).toBe("no-cache")
    const again = await asBrowser("/", {
      "If-None-Match": first.headers.get("ETag") ?? "",
      // Without this header, fetch() asks for a fresh response.
      "Cache-Control": "max-age=0",
    })
    expect([again.status, await again.text()]).toEqual([304, ""])
  })

  test("no path leads outside the build folder", async () => {
    for (const path of ["/faces/manifest.json", "/faces/..%2fpackage.json", "/faces/none.js", "/faces/"]) {
      expect((await asBrowser(path)).status).toBe(404)
    }
  })

  test("the widget works on any site, at a fixed address and at one by content hash", async () => {
    const stays = await fetch(`${app.url}/widget.js`, { headers: { "Accept-Encoding": "br" } })
    expect(stays.headers.get("Content-Type")).toBe("text/javascript; charset=utf-8")
    expect(stays.headers.get("Content-Encoding")).toBe("br")
    expect(stays.headers.get("Cache-Control")).toBe("public, max-age=3600, stale-while-revalidate=86400")
    const text = await stays.text()
    const facts = await fetch(`${app.url}/widget.json`)
    const { script, integrity, bytes } = (await facts.json()) as Record<string, string>
    const byContent = await fetch(`${app.url}/${script}`)
    expect(byContent.headers.get("Cache-Control")).toContain("immutable")
    expect(await byContent.text()).toBe(text)
    expect(integrity).toBe(`sha384-${createHash("sha384").update(text).digest("base64")}`)
    expect(Number(bytes)).toBeLessThanOrEqual(25_000)
    for (const { headers } of [stays, facts, byContent]) {
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*")
      expect(headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin")
    }
    // The appliance's own files stay restricted to the same origin.
    const icon = await fetch(`${app.url}/faces/icon.svg`)
    expect(icon.headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin")
  })

  test("tells a browser how to add the appliance as a search engine", async () => {
    const description = await asBrowser("/opensearch.xml")
    expect(description.headers.get("Content-Type")).toContain("application/opensearchdescription+xml")
    expect(await description.text()).toContain(`template="${app.url}/?q={searchTerms}"`)
  })
})

test("serves an old build if it cannot be rebuilt", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-old-faces-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(import.meta.dirname, "../../faces/dist"), join(folder, "dist"), { recursive: true })
  mkdirSync(join(folder, "build"))
  writeFileSync(join(folder, "build/build-command.ts"), "process.exit(1)")
  expect((await openBuilt(folder)).page("search")?.type).toContain("text/html")
  rmSync(join(folder, "dist"), { recursive: true })
  await expect(openBuilt(folder)).rejects.toThrow("build-command")
})

test("says on the page if there is no build, and the rest of the appliance works", async () => {
  const facesDir = mkdtempSync(join(tmpdir(), "fossick-no-faces-"))
  onTestFinished(() => rmSync(facesDir, { recursive: true, force: true }))
  await using bare = await serveApp({ facesDir })
  const page = await fetch(bare.url, { headers: { Accept: "text/html" } })
  expect(page.status).toBe(503)
  expect(((await page.json()) as { detail: { error: string } }).detail.error).toContain("not built")
  expect(bare.logLines.join("\n")).toContain("the web pages could not be built")
  expect((await fetch(`${bare.url}/healthz`)).status).toBe(200)
})
