import { getPublicSuffix } from "tldts"
import { COUNTRY_CODES } from "../country-codes.ts"
import type { DocumentFacts, JsonObject } from "./metadata.ts"
import { typesOf } from "./schema-types.ts"

/** Country domains that are sold and used worldwide for their letters, or given away. */
const GENERIC_DOMAINS = new Set(
  "ac ag ai am as bz cc cd cf cx dj fm fo ga gg gl gq gs im in io is la li ly me ml mn ms mu nf nu pn pw re sc sh st tk tl tm to tv vc vg ws co".split(
    " ",
  ),
)
const OTHER_DOMAINS = new Map([
  ["uk", "gb"],
  ["xn--p1ai", "ru"],
  ["xn--fiqs8s", "cn"],
  ["xn--j1amh", "ua"],
])

const PUBLISHER = /Organization$|^(?:Corporation|LocalBusiness|Store|NewsMediaOrganization)$/

/**
 * The country a page is made for or in. The sources, most likely first: a place in its metadata; the region of the
 * hreflang link that names the page itself; a region that its language does not imply (`en-GB`, `fr-CA`); the
 * publisher's address; the country domain; a region that only names the language (`en-US`, `de-DE`), as in templates.
 */
export function readCountry(facts: DocumentFacts, url: string): string | null {
  const { meta } = facts
  const locales = [facts.htmlLanguage, meta.get("content-language"), meta.get("og:locale")].flatMap(
    (tag) => regionOf(tag) ?? [],
  )
  return (
    code(meta.get("geo.country")) ??
    code(meta.get("geo.region")) ??
    selfReference(facts, url)?.country ??
    locales.find(({ isDefault }) => !isDefault)?.country ??
    publisherCountry(facts.jsonLd) ??
    countryOfDomain(url) ??
    locales[0]?.country ??
    null
  )
}

/** The country of a country-code domain, unless the domain is used worldwide for its letters. */
export function countryOfDomain(url: string): string | null {
  const label = (getPublicSuffix(url) ?? "").split(".").at(-1) ?? ""
  const other = OTHER_DOMAINS.get(label)
  if (other !== undefined) return other
  return COUNTRY_CODES.has(label) && !GENERIC_DOMAINS.has(label) ? label : null
}

/** The country of a code: `DE`, or an ISO 3166-2 subdivision such as `DE-BY`. */
function code(text: string | undefined): string | null {
  const found = /^\s*([a-z]{2})(?:-[a-z0-9]{1,3})?\s*$/i.exec(text ?? "")?.[1]?.toLowerCase()
  const known = found === "uk" ? "gb" : found
  return known !== undefined && COUNTRY_CODES.has(known) ? known : null
}

interface Region {
  readonly country: string
  /** Whether the country is the most likely one for the language. */
  readonly isDefault: boolean
}

function regionOf(tag: string | null | undefined): Region | null {
  const [, language, region] =
    /^\s*([a-z]{2,3})(?:[-_][a-z]{4})?[-_]([a-z]{2})(?:$|[\s,;.@_-])/i.exec(tag ?? "") ?? []
  const country = code(region)
  if (language === undefined || country === null) return null
  return { country, isDefault: likelyCountry(language.toLowerCase()) === country }
}

const likely = new Map<string, string | null>()

// Unicode's likely subtags (UTS #35): `en` is `en-Latn-US`.
function likelyCountry(language: string): string | null {
  let country = likely.get(language)
  if (country === undefined) {
    country = new Intl.Locale(language).maximize().region?.toLowerCase() ?? null
    if (likely.size < 1000) likely.set(language, country)
  }
  return country
}

function selfReference({ alternates, canonical }: DocumentFacts, url: string): Region | null {
  const own = alternates.filter(({ href }) => href === url || href === canonical)
  // If one address is for several countries, it doesn't indicate any of them.
  const regions = own.flatMap(({ hreflang }) => regionOf(hreflang) ?? [])
  return regions.every(({ country }) => country === regions[0]?.country) ? (regions[0] ?? null) : null
}

function publisherCountry(objects: readonly JsonObject[]): string | null {
  for (const object of objects) {
    const publisher = typesOf(object).some((type) => PUBLISHER.test(type)) ? object : object["publisher"]
    const address = first(member(publisher, "address"))
    const country = member(address, "addressCountry")
    const found = countryNamed(member(country, "name") ?? country)
    if (found !== null) return found
  }
  return null
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as JsonObject)[name] : undefined
}

let names: ReadonlyMap<string, string> | null = null

function countryNamed(value: unknown): string | null {
  if (typeof value !== "string") return null
  const text = value.trim()
  if (text.length <= 2) return code(text)
  if (!names) {
    const english = new Intl.DisplayNames("en", { type: "region" })
    names = new Map([
      ...[...COUNTRY_CODES].map((one) => [(english.of(one.toUpperCase()) ?? "").toLowerCase(), one] as const),
      ["usa", "us"],
      ["united states of america", "us"],
      ["great britain", "gb"],
      ["deutschland", "de"],
    ])
  }
  return names.get(text.toLowerCase()) ?? null
}
