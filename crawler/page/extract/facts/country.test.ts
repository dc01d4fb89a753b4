import { describe, expect, it } from "vitest"
import { extractHtml, extractText } from "../extract.ts"

const country = (head: string, url = "https://hive.example/bees", html = "") =>
  extractHtml(`<html ${html}><head>${head}</head><body></body></html>`, url).country

const data = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`
const publisher = (addressCountry: unknown) =>
  data({ "@type": "Article", publisher: { "@type": "Organization", address: { addressCountry } } })
const hreflang = (tag: string, href: string) => `<link rel="alternate" hreflang="${tag}" href="${href}">`

describe("a page's country", () => {
  it("comes from each of these alone", () => {
    expect(country('<meta name="geo.country" content="CH">')).toBe("ch")
    expect(country('<meta name="geo.region" content="DE-BY">')).toBe("de")
    expect(country(hreflang("fr-BE", "/bees"))).toBe("be")
    expect(country("", undefined, 'lang="en-GB"')).toBe("gb")
    expect(country('<meta property="og:locale" content="fr_CA">')).toBe("ca")
    expect(country('<meta http-equiv="content-language" content="zh-Hant-HK">')).toBe("hk")
    expect(country(publisher("NZ"))).toBe("nz")
    expect(country(publisher({ "@type": "Country", name: "South Africa" }))).toBe("za")
    expect(country(data({ "@type": "NewsMediaOrganization", address: [{ addressCountry: "UK" }] }))).toBe(
      "gb",
    )
    expect(country("", "https://bees.co.uk/")).toBe("gb")
    expect(country("", undefined, 'lang="en-US"')).toBe("us")
  })

  it("ignores leftovers of a template", () => {
    expect(country("", "https://bees.be/", 'lang="fr-FR"')).toBe("be")
    expect(country("", "https://bees.de/", 'lang="de-AT"')).toBe("at")
    expect(country(publisher("IE"), undefined, 'lang="en-US"')).toBe("ie")
    expect(country('<meta name="geo.country" content="IN">', undefined, 'lang="en-GB"')).toBe("in")
  })

  it("is the page's own among its translations", () => {
    const links = hreflang("de-AT", "/at/bees") + hreflang("de-CH", "/bees") + hreflang("x-default", "/bees")
    expect(country(links)).toBe("ch")
    expect(country(hreflang("de-AT", "/bees") + hreflang("de-CH", "/bees"))).toBeNull()
  })

  it("is not taken from a domain used for its letters", () => {
    for (const domain of ["ai", "io", "co", "tv", "me", "ly", "gg", "fm", "to", "cc"])
      expect(country("", `https://bees.${domain}/`)).toBeNull()
    expect(country("", "http://192.0.2.7/")).toBeNull()
  })

  it("is never an invalid country", () => {
    expect(country('<meta name="geo.country" content="XX">', undefined, 'lang="es-419"')).toBeNull()
    expect(country(publisher("Bee country"), undefined, 'lang="en"')).toBeNull()
  })

  it("is taken from the domain of a text file", () => {
    expect(extractText("Bees.", "https://bees.fr/llms.txt").country).toBe("fr")
  })
})
