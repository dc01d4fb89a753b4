import { differingBits } from "../../index/page/fingerprint.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"

/** A part of an address that names a version, and the address without it. */
interface Versioned {
  readonly label: string
  /** Index of that part in the path. */
  readonly at: number
  readonly rest: string
}

/** Names of a site's default version, best first, and of unfinished versions. */
const DEFAULTS = ["stable", "current", "default", "release", "lts", "latest"]
const UNFINISHED = [
  "main",
  "master",
  "trunk",
  "head",
  "dev",
  "devel",
  "develop",
  "next",
  "nightly",
  "alpha",
  "beta",
  "edge",
  "canary",
  "unstable",
  "preview",
  "snapshot",
]
const NUMBER =
  /^(?:v|(?:version|release|stable|branch|rel)-?|r)?(\d{1,4}(?:[._]\d{1,4}){1,3}(?:[._](?:x|\d{1,4}))?|\d{1,4}[._]x)(?:[-._]?(?:alpha|beta|rc|pre|dev|m|snapshot|final|ga|lts)[-._]?\d*)?$/i
const WHOLE = /^(?:v(\d{1,3})|(\d{1,3}))$/i
/** After a `v`, the numbers of a version may be joined by hyphens: `v1-29`. */
const HYPHENED = /^v\d{1,3}(?:-\d{1,3}){1,2}$/i

/** Maximum number of parts of a path that are checked. */
const MOST_PARTS = 12
/** Maximum number of bits in which the fingerprints of two versions differ, the same as for a page and its canonical page: versions share most of their text. */
const MOST_BITS = 14

/** Whether two pages are versions of one page of documentation: their addresses differ only in the version, and their texts hardly differ. */
export function areVersions(a: PageFacts, b: PageFacts): boolean {
  return labelsOf(a, b) !== null
}

/** Negative when `a` is the version to show: the one whose name is `wanted`, else the site's default, else the newest. */
export function compareVersions(a: PageFacts, b: PageFacts, wanted: (label: string) => boolean): number {
  const labels = labelsOf(a, b)
  if (labels === null) return 0
  const [one, other] = labels
  const want = (label: string | null) => (label !== null && wanted(label) ? 0 : 1)
  return want(one) - want(other) || rankOf(one) - rankOf(other) || compareNumbers(other ?? "", one ?? "")
}

function labelsOf(a: PageFacts, b: PageFacts): readonly [string | null, string | null] | null {
  if (a.host !== b.host || (a.language !== null && b.language !== null && a.language !== b.language))
    return null
  const [one, other] = [parsed(a), parsed(b)]
  if (one.parts.length === 0 && other.parts.length === 0) return null
  const labels = matched(one, other)
  return labels !== null && isAlike(a, b) ? labels : null
}

function matched(one: Parsed, other: Parsed): readonly [string | null, string | null] | null {
  for (const { label, at, rest } of one.parts) {
    if (rest === other.path) return [label, null]
    const twin = other.parts.find((part) => part.at === at && part.rest === rest)
    if (twin && twin.label !== label) return [label, twin.label]
  }
  const bare = other.parts.find(({ rest }) => rest === one.path)
  return bare === undefined ? null : [null, bare.label]
}

function isAlike(a: PageFacts, b: PageFacts): boolean {
  const [one, other] = [a.fingerprint, b.fingerprint]
  if (one.exact !== null && one.exact === other.exact) return true
  if (one.similar === null || other.similar === null) return false
  return (
    differingBits(one.similar, other.similar) <= MOST_BITS &&
    withoutNumbers(a.title) === withoutNumbers(b.title)
  )
}

const withoutNumbers = (title: string): string =>
  title
    .toLowerCase()
    .replace(/\bv?\d+(?:\.\w+)*\b/g, "")
    .replace(/[^\p{L}\p{M}]+/gu, " ")
    .trim()

interface Parsed {
  readonly path: string
  readonly parts: readonly Versioned[]
}

/** Parsed addresses, kept because each page of a ranking is compared with many others. */
const known = new WeakMap<PageFacts, Parsed>()

function parsed(page: PageFacts): Parsed {
  let found = known.get(page)
  if (found === undefined) known.set(page, (found = versionsIn(page.url)))
  return found
}

function versionsIn(url: string): Parsed {
  const { pathname, search } = new URL(url)
  const segments = pathname.split("/")
  const parts = segments.slice(0, MOST_PARTS).flatMap((segment, at): Versioned[] => {
    const hasTail = segments.slice(at + 1).some((one) => one !== "")
    if (!isVersion(segment, hasTail)) return []
    return [{ label: segment.toLowerCase(), at, rest: `${segments.toSpliced(at, 1).join("/")}${search}` }]
  })
  return { path: `${pathname}${search}`, parts }
}

/** A bare number counts as a version only if other parts follow it: at the end it is as often a chapter, a page of a list or a product. */
function isVersion(segment: string, hasTail: boolean): boolean {
  const name = segment.toLowerCase()
  return (
    NUMBER.test(name) ||
    HYPHENED.test(name) ||
    DEFAULTS.includes(name) ||
    UNFINISHED.includes(name) ||
    (hasTail && WHOLE.test(name))
  )
}

/** 0 without a version, as in most sites' default addresses; names of default versions come next, then numbers, then unfinished versions. */
function rankOf(label: string | null): number {
  if (label === null) return 0
  const named = DEFAULTS.indexOf(label)
  if (named >= 0) return 1 + named / DEFAULTS.length
  if (UNFINISHED.includes(label)) return 4
  return /alpha|beta|rc|pre|dev|snapshot/.test(label) ? 3 : 2
}

function compareNumbers(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true })
}

/** Whether a question names a version, with or without its `v`. */
export function namesVersion(question: string): (label: string) => boolean {
  const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu))
  return (label) => {
    const bare = label.replace(/^v(?=\d)/, "")
    return [label, bare, `v${label}`, bare.replaceAll("-", ".")].some((name) => words.has(name))
  }
}
