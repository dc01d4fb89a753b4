import { readFileSync, rmSync, writeFileSync } from "node:fs"
import sharp from "sharp"
import { afterAll, beforeAll, expect, test } from "vitest"

import { Jobs, Sources } from "#crawler"
import { ImageStore } from "#crawler/upkeep/images/image-store.ts"
import { readImage } from "#crawler/upkeep/images/read-image.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { picture } from "#crawler/testing/pictures.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { html, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"

const opened = new AsyncDisposableStack()
let site: TestSite
let app: ServedAccounts
let images: ImageStore

beforeAll(async () => {
  const { dir, db, engine } = await openDataFolder(opened)
  const withPicture = (title: string, image: string) =>
    html(
      `<html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${title} are pruned in winter and fed in spring.</p><img src="${image}" alt="${title} in winter"></main></body></html>`,
    )
  site = opened.use(
    await startTestSite({
      "/roses": withPicture("Roses", "/rose.png"),
      "/tulips": withPicture("Tulips", "/tulip.png"),
    }),
  )
  const sources = new Sources(db, new Jobs(db))
  await sources.put({ name: "roses", seeds: [site.url("/roses")] })
  await sources.put({ name: "tulips", seeds: [site.url("/tulips")] })
  for (const name of ["roses", "tulips"]) await runSource(name, db, engine)
  images = new ImageStore(db, dir)
  for (let seen = 1; ; seen++) {
    const image = await images.nextUnread((await images.unreadHosts())[0] ?? "")
    if (image === null) break
    const { look, thumbnail } = await readImage(await picture(seen))
    await images.recordLook(image.id, look, thumbnail)
  }
  app = opened.use(await serveAccounts({ dir, engine, thumbnails: images }))
})

afterAll(async () => {
  await opened.disposeAsync()
})

const thumbnail = (page: string, image: string, key: string) =>
  fetch(
    `${app.url}/thumbnails?${new URLSearchParams({ page: site.url(page), image: site.url(image) }).toString()}`,
    { headers: { Authorization: `Bearer ${key}` } },
  )

test("a page's image comes from the appliance's own store", async () => {
  const asked = site.requests.length
  const response = await thumbnail("/roses", "/rose.png", await app.key())
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/webp"])
  expect(response.headers.get("Cache-Control")).toContain("private")
  expect(await sharp(await response.arrayBuffer()).metadata()).toMatchObject({ format: "webp", width: 320 })
  expect(site.requests.length).toBe(asked)
})

test("an image is hidden from callers who may not see its page, and never belongs to another page", async () => {
  const tulipsOnly = await app.key({ scope: readScope({ sources: ["tulips"] }) })
  expect((await thumbnail("/tulips", "/tulip.png", tulipsOnly)).status).toBe(200)
  expect((await thumbnail("/roses", "/rose.png", tulipsOnly)).status).toBe(404)
  expect((await thumbnail("/tulips", "/rose.png", tulipsOnly)).status).toBe(404)
  expect((await thumbnail("/tulips", "/tulip.png", "wrong")).status).toBe(401)
})

test("a missing parameter is named", async () => {
  const key = await app.key()
  expect((await app.call("/thumbnails?page=x:y&image=z", key)).body.detail.error).toContain("Invalid page.")
  const page = encodeURIComponent(site.url("/roses"))
  expect((await app.call(`/thumbnails?page=${page}`, key)).body.detail.error).toContain("Invalid image.")
})

test.each([
  ["/tulips", "/tulip.png", "deleted", (path: string) => rmSync(path)],
  [
    "/roses",
    "/rose.png",
    "damaged",
    (path: string) => {
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1]! ^= 0x5a
      writeFileSync(path, bytes)
    },
  ],
] as const)(
  "for %s, the thumbnail of %s that was %s is not shown, and the image is read again",
  async (page, image, _, harm) => {
    const facts = async () => (await images.facts([site.url(image)], site.url(page))).get(site.url(image))
    harm(images.thumbnailPath(((await facts()) as { id: number }).id))
    expect((await thumbnail(page, image, await app.key())).status).toBe(404)
    expect(await facts()).toEqual({ state: "unread" })
  },
)
