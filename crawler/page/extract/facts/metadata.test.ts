import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"

const read = (head: string, body = "", url = "https://www.hive.example/notes/bees") =>
  extractHtml(`<html><head>${head}</head><body>${body}</body></html>`, url)

describe("title", () => {
  it("is the heading that the title tag repeats along with the site's name", () => {
    expect(read("<title>Winter bees - Notes - Hive</title>", "<h1>Winter bees</h1>").title).toBe(
      "Winter bees",
    )
  })

  it("drops the site's name when the page declares it", () => {
    expect(
      read('<title>Bees | Hive Notes</title><meta property="og:site_name" content="Hive Notes">').title,
    ).toBe("Bees")
  })

  it("keeps a dash that is part of it", () => {
    expect(read("<title>Bees - a short history</title>").title).toBe("Bees - a short history")
  })

  it("is not taken from an SVG", () => {
    expect(read("", "<svg><title>Icon</title></svg><h1>Bees</h1>").title).toBe("Bees")
  })

  it("is empty when there is none", () => {
    expect(read("", "<p>text</p>").title).toBe("")
  })
})

describe("date", () => {
  const published = (head: string, body = "", url?: string) =>
    read(head, body, url).publishedAt?.toISOString() ?? null

  it("comes from structured data, meta tags, time elements or the address, in this order", () => {
    const data =
      '<script type="application/ld+json">{"@graph":[{"@type":"Article","datePublished":"2024-03-05T10:00:00+01:00"}]}</script>'
    const meta = '<meta property="article:published_time" content="2023-01-02">'
    const time = '<time datetime="2022-01-02T03:04:05Z">then</time>'
    expect(published(data + meta, time)).toBe("2024-03-05T09:00:00.000Z")
    expect(published(meta, time)).toBe("2023-01-02T00:00:00.000Z")
    expect(published("", time)).toBe("2022-01-02T03:04:05.000Z")
    expect(published("", "", "https://hive.example/2021/7/09/bees")).toBe("2021-07-09T00:00:00.000Z")
  })

  it("skips impossible dates", () => {
    expect(
      published('<meta name="date" content="0001-01-01"><meta name="created" content="3024-01-01">'),
    ).toBeNull()
    expect(published('<meta name="date" content="2024-13-45">')).toBeNull()
  })

  it("reads a written date as UTC, whatever the machine's time zone", () => {
    expect(published('<meta name="date" content="March 5, 2024">')).toBe("2024-03-05T00:00:00.000Z")
  })
})

describe("language", () => {
  it("comes from the document, as a two-letter code", () => {
    expect(extractHtml('<html lang="pt-BR"><p>x</p></html>', "https://hive.example/").language).toBe("pt")
    expect(read('<meta property="og:locale" content="de_DE">').language).toBe("de")
  })

  it("is detected from the text when the document declares none", () => {
    const text =
      "Die Bienen halten den Stock den ganzen Winter lang warm, indem sie abwechselnd um die Königin zittern."
    expect(read("", `<p>${text}</p>`).language).toBe("de")
  })

  it("is unknown for a page without text", () => {
    expect(read("").language).toBeNull()
  })
})

describe("author and description", () => {
  it("reads one or several authors", () => {
    expect(
      read(
        '<script type="application/ld+json">{"@type":"Article","author":[{"name":"Ann Lee"},{"name":"Bo Ek"}]}</script>',
      ).author,
    ).toBe("Ann Lee, Bo Ek")
    expect(read('<meta name="author" content="Ann Lee">').author).toBe("Ann Lee")
    expect(read("", '<p class="byline">By Ann Lee</p>').author).toBe("Ann Lee")
  })

  it("does not take a URL for an author's name", () => {
    expect(read('<meta property="article:author" content="https://social.example/ann">').author).toBeNull()
  })

  it("survives invalid JSON in structured data", () => {
    expect(
      read(
        '<script type="application/ld+json">{"@type": oops</script><meta name="description" content="On bees">',
      ).description,
    ).toBe("On bees")
  })
})

describe("addresses", () => {
  it("resolves links against the base element, without fragments, each once", () => {
    const { links } = read(
      '<base href="https://cdn.hive.example/v2/">',
      '<a href="a#x">One</a><a href="a">again</a><a href="mailto:x@y.z">mail</a><a href="#top">top</a><a rel="ugc nofollow" href="/b"><img alt="Bee"></a>',
    )
    expect(links).toEqual([
      { url: "https://cdn.hive.example/v2/a", text: "One", nofollow: false },
      { url: "https://cdn.hive.example/b", text: "Bee", nofollow: true },
    ])
  })

  it("follows an address when any of its anchors allows it", () => {
    expect(read("", '<a rel="nofollow" href="/a">x</a><a href="/a">y</a>').links).toEqual([
      { url: "https://www.hive.example/a", text: "x", nofollow: false },
    ])
  })

  it("finds links in navigation too, since the crawl needs them", () => {
    expect(read("", '<nav><a href="/all">All</a></nav>').links).toHaveLength(1)
  })

  it("reads canonical, icon and feeds", () => {
    const page = read(
      '<link rel="canonical" href="/bees"><link rel="apple-touch-icon" href="/t.png"><link rel="shortcut icon" href="/i.ico">' +
        '<link rel="alternate" type="application/rss+xml" href="/feed"><link rel="alternate" hreflang="de" href="/de">',
    )
    expect(page.canonical).toBe("https://www.hive.example/bees")
    expect(page.favicon).toBe("https://www.hive.example/i.ico")
    expect(page.feeds).toEqual(["https://www.hive.example/feed"])
  })

  it("falls back to the default icon when none is declared", () => {
    expect(read("").favicon).toBe("https://www.hive.example/favicon.ico")
  })
})

describe("robots", () => {
  it("combines all robots tags, including Fossick's own", () => {
    expect(
      read('<meta name="robots" content="index, follow"><meta name="Fossick" content="NOINDEX">').robots,
    ).toEqual({ noindex: true, nofollow: false })
    expect(read('<meta name="robots" content="none">').robots).toEqual({ noindex: true, nofollow: true })
    expect(read('<meta name="otherbot" content="noindex">').robots).toEqual({
      noindex: false,
      nofollow: false,
    })
  })
})
