import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zipSync } from "fflate"
import { afterAll, beforeAll, expect, test } from "vitest"

import { Jobs, Sources } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { GitWork } from "#crawler/testing/git/git-work.ts"
import { flatPicture } from "#crawler/testing/pictures.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import type { PageUrl } from "#engine"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { openPageKnowledge } from "../pages/page-knowledge.ts"

// Tests folders, a repository, a mailbox and an archive that are read into a real index, and requests for their files
// by address.

const opened = new AsyncDisposableStack()
let data: Awaited<ReturnType<typeof openDataFolder>>
let app: ServedAccounts
let share: string
let all: string
let shareOnly: string
let threads: readonly string[]

const MESSAGE = `From: Ada <ada@mail.example>
Subject: Rooms
Message-ID: <1@mail.example>
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html

<p>The room with the <b>balcony</b> costs 120.</p><script>alert(1)</script><img src="https://tracker.example/1.gif">
--b
Content-Type: text/plain
Content-Disposition: attachment; filename="prices.txt"

A room costs 90 without breakfast.
--b--
`

beforeAll(async () => {
  data = await openDataFolder(opened)
  const { dir, db, engine } = data
  share = join(dir, "share")
  for (const folder of ["share/travel & more", "private"]) mkdirSync(join(dir, folder), { recursive: true })
  writeFileSync(
    join(share, "travel & more/hotels.md"),
    "# Hotels\n\nBook hotels of up to 140 euros a night.\n",
  )
  writeFileSync(join(share, "evil.html"), "<h1>Prices</h1><p>A room costs 90.</p><script>alert(1)</script>")
  writeFileSync(join(dir, "private/pay.md"), "# Pay\n\nAda earns more than Bob.\n")
  writeFileSync(join(share, ".secret"), "hidden")
  mkdirSync(join(dir, "mail"))
  writeFileSync(join(dir, "mail/1.eml"), MESSAGE)
  const packed = { "travel/hotels.md": "# Hotels\n\nBook hotels of up to 150 euros a night.\n" }
  const zip = Object.entries(packed).map(([name, text]) => [name, new TextEncoder().encode(text)])
  writeFileSync(join(dir, "packed.zip"), zipSync(Object.fromEntries(zip) as Record<string, Uint8Array>))
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  for (const name of ["share", "private"]) {
    const spec = { name, folder: join(dir, name), seeds: [`http://localhost:8080/files/${name}/`] }
    await sources.put(spec, "file")
    await runSource(name, db, engine)
  }
  const mail = { name: "mail", mailbox: join(dir, "mail"), seeds: ["http://localhost:8080/files/mail/"] }
  await sources.put(mail, "file")
  await runSource("mail", db, engine)
  const pages = await Array.fromAsync(engine.allPages())
  threads = pages.map(({ page }) => page.url).filter((url) => url.includes("/files/mail/"))
  const archive = join(dir, "packed.zip")
  await sources.put({ name: "packed", archive, seeds: ["http://localhost:8080/files/packed/"] }, "file")
  await runSource("packed", db, engine)
  app = opened.use(
    await serveAccounts({
      dir,
      engine,
      pages: openPageKnowledge(db, jobs),
      sites: sourceSites(db, jobs),
    }),
  )
  all = await app.key()
  shareOnly = await app.key({ scope: readScope({ sources: ["share"] }) })
})
afterAll(() => opened.disposeAsync())

async function asked(path: string, key = all) {
  const answer = await fetch(`${app.url}/files/${path}`, { headers: { Authorization: `Bearer ${key}` } })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

test("a file in a folder opens at the address in the results", async () => {
  const { status, headers, text } = await asked("share/travel%20%26%20more/hotels.md")
  expect([status, headers.get("content-type"), headers.get("content-disposition")]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "inline",
  ])
  expect(text).toBe("# Hotels\n\nBook hotels of up to 140 euros a night.\n")
})

test("a file in an archive opens without being unpacked, for the same keys", async () => {
  const { status, headers, text } = await asked("packed/travel/hotels.md")
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"])
  expect(text).toBe("# Hotels\n\nBook hotels of up to 150 euros a night.\n")
  expect((await asked("packed/travel/hotels.md", shareOnly)).status).toBe(404)
  expect((await asked("packed/../packed.zip")).status).toBe(404)
})

test("an HTML page is shown without its scripts", async () => {
  const { status, headers } = await asked("share/evil.html")
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none';/)
})

test("a picture in which text was recognised is shown, and a file that browsers can't show is downloaded", async () => {
  const { engine } = data
  const letter = await flatPicture(640, 480)
  const known = (await Array.fromAsync(engine.allPages())).find(({ page }) =>
    page.url.endsWith("/evil.html"),
  )!
  for (const name of ["letter.png", "letter.TIF", "letter.doc"]) {
    writeFileSync(join(share, name), letter)
    const url = `http://localhost:8080/files/share/${name}` as PageUrl
    await engine.index([{ ...known.page, url, type: "picture", markdown: `The text of ${name}.` }])
  }
  const shown = async (name: string) => {
    const { status, headers } = await asked(`share/${name}`)
    return [status, headers.get("content-type"), headers.get("content-disposition")]
  }
  expect(await shown("letter.png")).toEqual([200, "image/png", "inline"])
  expect(await shown("letter.TIF")).toEqual([200, "image/tiff", "attachment"])
  expect(await shown("letter.doc")).toEqual([200, "application/msword", "attachment"])
})

test("a key sees only the files of its sources, and nobody sees files that are not pages", async () => {
  expect((await asked("private/pay.md")).status).toBe(200)
  expect((await asked("private/pay.md", shareOnly)).status).toBe(404)
  expect((await asked("share/evil.html", shareOnly)).status).toBe(200)
  const paths = [
    "share/.secret",
    "share/..%2fprivate%2fpay.md",
    "share/nothing.md",
    "nobody/a.md",
    "share/%ff.md",
  ]
  for (const path of paths) expect([path, (await asked(path)).status]).toEqual([path, 404])
  expect((await fetch(`${app.url}/files/share/evil.html`)).status).toBe(401)
})

test("a file whose readers were narrowed opens for no one else, even before the next run", async () => {
  const file = "share/travel%20%26%20more/hotels.md"
  const readersFile = join(share, "travel & more/.fossick-readers.yaml")
  expect((await asked(file)).status).toBe(200)
  writeFileSync(readersFile, "allow: [group:travellers]\n")
  expect((await asked(file)).status).toBe(404)
  expect((await asked(file, await app.key({ principals: ["group:travellers"] }))).status).toBe(200)
  expect((await asked("share/travel%20%26%20more/.fossick-readers.yaml")).status).toBe(404)
  rmSync(readersFile)
  expect((await asked(file)).status).toBe(200)
})

test("a file of a repository opens as the last run fetched it", { tags: ["git"] }, async () => {
  const { dir, db, engine } = data
  const work = new GitWork(join(dir, "work"))
  work.write("guide/first steps.md", "# First steps\n\nPut the key under the third flowerpot.\n")
  work.commit()
  const seeds = ["http://localhost:8080/files/guide/"]
  await new Sources(db, new Jobs(db)).put({ name: "guide", repository: { url: work.root }, seeds }, "file")
  await runSource("guide", db, engine)
  const opened = await asked("guide/guide/first%20steps.md")
  expect([opened.status, opened.text]).toEqual([
    200,
    "# First steps\n\nPut the key under the third flowerpot.\n",
  ])
  expect((await asked("guide/guide/first%20steps.md", shareOnly)).status).toBe(404)
  expect((await asked("guide/.git/config")).status).toBe(404)
})

test("a thread opens as a page with its attached files, for those who may see it", async () => {
  const [page, file] = ["prices.txt", ".html"]
    .map((end) => threads.find((url) => url.endsWith(end))!)
    .toReversed()
  const path = (url: string) => url.slice("http://localhost:8080/files/".length)
  const thread = await asked(path(page!))
  expect([thread.status, thread.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(thread.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none';/)
  expect(thread.text).toContain("The room with the balcony costs 120.")
  expect(thread.text).not.toMatch(/alert|tracker/)
  const [, href] = /<a href="([^"]*)">prices\.txt</.exec(thread.text)!
  expect(new URL(href!, page).href).toBe(file)
  expect((await asked(path(file!))).text.trim()).toBe("A room costs 90 without breakfast.")
  for (const url of threads) expect((await asked(path(url), shareOnly)).status).toBe(404)
})

test("a link that took the place of a file leads nowhere", async () => {
  rmSync(join(share, "evil.html"))
  symlinkSync("/etc/passwd", join(share, "evil.html"))
  expect((await asked("share/evil.html")).status).toBe(404)
})
