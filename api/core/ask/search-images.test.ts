import { describe, expect, test } from "vitest"

import type { ImageFacts } from "#crawler/upkeep/images/image-store.ts"
import type { Hit, PageImage } from "#engine"

import { hit } from "../../testing/fake-engine.ts"
import { type ImageKnowledge, pageImages, searchImages } from "./search-images.ts"

const A = "00ff00ff00ff00ff"
const OTHER = "ff00ff0f0ff0f00f"

const image = (name: string, description: string | null = null): PageImage => ({
  url: `https://a.example/${name}`,
  description,
})
const page = (score: number, images: readonly PageImage[], more: Partial<Hit> = {}): Hit =>
  hit({ score, images, title: "Pumps", ...more })

const read = (hash: string, width = 640, height = 480): ImageFacts => ({
  state: "read",
  id: 1,
  width,
  height,
  format: "jpeg",
  bytes: 1000,
  frames: 1,
  hash,
  junk: null,
})

const knowing = (facts: Readonly<Record<string, ImageFacts>>): ImageKnowledge => ({
  facts: async (urls) =>
    new Map(
      urls.flatMap((url) => {
        const known = facts[url.slice("https://a.example/".length)]
        return known ? [[url, known] as const] : []
      }),
    ),
})
const nothing = knowing({})
const names = (images: readonly PageImage[]) =>
  images.map(({ url }) => url.slice("https://a.example/".length))

describe("the images of a search", () => {
  test("come from the best page first, and those that match the question come before their neighbours", async () => {
    const hits = [
      page(0.8, [image("workshop.jpg", "Our workshop"), image("seal.jpg", "A worn pump seal")]),
      page(0.6, [image("hall.jpg", "The hall")]),
    ]
    expect(names(await searchImages("replace the pump seal", hits, nothing))).toEqual([
      "seal.jpg",
      "workshop.jpg",
      "hall.jpg",
    ])
  })

  test("put images that the crawler has examined first", async () => {
    const hits = [page(0.9, [image("unread.jpg")]), page(0.3, [image("read.jpg")])]
    expect(names(await searchImages("pump", hits, knowing({ "read.jpg": read(A) })))).toEqual([
      "read.jpg",
      "unread.jpg",
    ])
  })

  test("leave out junk, whether detected or recognisable by name", async () => {
    const hits = [page(0.9, [image("logo.png"), image("spacer.gif"), image("gone.jpg"), image("pump.jpg")])]
    const knowledge = knowing({
      "logo.png": { state: "junk", because: "fixture" },
      "gone.jpg": { state: "junk", because: "broken" },
    })
    expect(names(await searchImages("pump", hits, knowledge))).toEqual(["pump.jpg"])
    expect(names(await pageImages(hits[0]!, knowledge))).toEqual(["pump.jpg"])
  })

  test("show only the largest of several copies, in the place of the best one", async () => {
    const hits = [
      page(0.9, [image("small.jpg"), image("other.jpg")]),
      page(0.5, [image("large.jpg"), image("other.jpg")]),
    ]
    const knowledge = knowing({
      "small.jpg": read(A, 320, 240),
      "large.jpg": read("00ff00ff00ff00fe", 1280, 960),
      "other.jpg": read(OTHER),
    })
    expect(names(await searchImages("pump", hits, knowledge))).toEqual(["large.jpg", "other.jpg"])
  })

  test("are limited to twenty, still with the largest copies", async () => {
    const many = Array.from({ length: 20 }, (_, n) => image(`${n}.jpg`))
    const hash = (n: number) =>
      (0x9e3779b97f4a7c15n * BigInt(n + 1)).toString(16).slice(-16).padStart(16, "0")
    const facts = Object.fromEntries(many.map((_, n) => [`${n}.jpg`, read(hash(n))]))
    const hits = [page(0.9, many), page(0.1, [image("more.jpg"), image("copy.jpg")])]
    const knowledge = knowing({ ...facts, "more.jpg": read(A), "copy.jpg": read(hash(3), 2000, 1500) })
    const found = names(await searchImages("pump", hits, knowledge))
    expect(found).toHaveLength(20)
    expect(found[3]).toBe("copy.jpg")
    expect(found).not.toContain("more.jpg")
  })

  test("use their page's title as the description if they have none", async () => {
    const hits = [page(0.9, [image("a.jpg"), image("b.jpg", "A rotor")])]
    expect((await searchImages("pump", hits, nothing)).map(({ description }) => description)).toEqual([
      "Pumps",
      "A rotor",
    ])
  })
})
