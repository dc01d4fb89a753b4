import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"

const topic = (head: string, body = "", url = "https://www.hive.example/notes/bees") =>
  extractHtml(`<html><head>${head}</head><body>${body}</body></html>`, url).topic

const data = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`
const article = `<meta property="og:type" content="article"><meta property="article:published_time" content="2025-03-04">`
const section = (name: string) => `<meta property="article:section" content="${name}">`

describe("a news page", () => {
  it.each(["NewsArticle", "ReportageNewsArticle", "https://schema.org/OpinionNewsArticle"])(
    "is recognised when its structured data says %s",
    (type) => {
      expect(topic(data({ "@graph": [{ "@type": "WebPage" }, { "@type": [type] }] }))).toBe("news")
    },
  )

  it("is recognised by its markup", () => {
    expect(
      topic("", '<div itemscope itemtype="http://schema.org/NewsArticle"><p>Bees are back.</p></div>'),
    ).toBe("news")
  })

  it("is recognised when it is an article with a tag that only news publishers use", () => {
    const keywords = '<meta name="news_keywords" content="bees, spring">'
    expect(topic(article + keywords)).toBe("news")
    expect(topic(keywords)).toBeNull()
    const publisher = { "@type": "NewsMediaOrganization", name: "The Hive" }
    expect(topic(data({ "@type": "Article", publisher }))).toBe("news")
  })

  it("is recognised when it is a dated article in a news section", () => {
    expect(topic(article, "", "https://hive.example/en/news/bees-are-back")).toBe("news")
    expect(topic(article, "", "https://news.hive.example/bees-are-back")).toBe("news")
    expect(topic(article, "", "https://hive.example/newsletter/bees")).toBeNull()
    expect(topic("", "", "https://hive.example/news/")).toBeNull()
  })
})

it("a blog post or an article alone is not news", () => {
  expect(topic(article)).toBeNull()
  expect(topic(data({ "@type": "BlogPosting", datePublished: "2025-03-04" }))).toBeNull()
  expect(topic(data({ "@type": "Article" }))).toBeNull()
})

describe("a finance page", () => {
  it("is recognised when its structured data names a financial product or service", () => {
    expect(topic(data({ "@type": "MortgageLoan", name: "Hive loan" }))).toBe("finance")
    expect(topic("", '<div itemscope itemtype="https://schema.org/BankOrCreditUnion"></div>')).toBe("finance")
  })

  it("is recognised when it is an article in a financial section, news or not", () => {
    expect(topic(article + section("Personal Finance"))).toBe("finance")
    expect(topic(data({ "@type": "NewsArticle", articleSection: ["World", "Markets"] }))).toBe("finance")
    expect(topic(data({ "@type": "NewsArticle", articleSection: "Wirtschaft" }))).toBe("finance")
  })

  it("is not recognised by a section that only sounds financial, or without being an article", () => {
    expect(topic(data({ "@type": "NewsArticle", articleSection: "Business" }))).toBe("news")
    expect(topic(article + section("Flea markets near you"))).toBeNull()
    expect(topic(section("Finance"))).toBeNull()
  })
})
