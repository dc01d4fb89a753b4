import { unzipSync, zipSync } from "fflate"
import type { Chance } from "#base/testing/chance.ts"
import { readJson } from "../../bench/data-files.ts"
import type { RealFile } from "./real-pages.ts"

/** A response that a server sends. */
export interface Mutant {
  readonly bytes: Buffer
  /** The Content-Type header; empty for none. */
  readonly type: string
  /** The change and the file, in words. */
  readonly made: string
}

const STRINGS = { elements: { type: "string" } } as const

type Change = (bytes: Buffer, random: Chance, other: RealFile) => Buffer

/** Size of a page that is too large for a thread, so that some are read in processes, but small enough for a crawler to fetch. */
const MOST_BYTES = 3_000_000

const flip: Change = (bytes, random) => {
  const changed = Buffer.from(bytes)
  for (let left = 1 + random.below(40); left > 0; left--)
    changed[random.below(changed.length)]! ^= 1 << random.below(8)
  return changed
}

const cut: Change = (bytes, random) => bytes.subarray(0, random.below(bytes.length))

const without: Change = (bytes, random) => {
  const [from, length] = stretch(bytes, random)
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)])
}

const twice: Change = (bytes, random) => {
  const [from, length] = stretch(bytes, random)
  const part = bytes.subarray(from, from + length)
  return Buffer.concat([
    bytes.subarray(0, from),
    ...Array.from({ length: 2 + random.below(6) }, () => part),
    bytes.subarray(from),
  ])
}

const noise: Change = (bytes, random) => {
  const at = random.below(bytes.length)
  const dirt = Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256)))
  return Buffer.concat([bytes.subarray(0, at), dirt, bytes.subarray(at)])
}

const splice: Change = (bytes, random, { bytes: other }) =>
  Buffer.concat([bytes.subarray(0, random.below(bytes.length)), other.subarray(random.below(other.length))])

function stretch(bytes: Buffer, random: Chance): readonly [from: number, length: number] {
  const length = 1 + random.below(Math.min(bytes.length, random.one([8, 200, 20_000])))
  return [random.below(bytes.length - length + 1), length]
}

const ANY: Readonly<Record<string, Change>> = { flip, cut, without, twice, noise, splice }

/** Changes the text byte for byte as latin1, which preserves every byte. */
const ofText =
  (change: (text: string, random: Chance) => string): Change =>
  (bytes, random) =>
    Buffer.from(change(bytes.toString("latin1"), random), "latin1")

const insert = (text: string, random: Chance, more: string): string => {
  const at = random.below(text.length + 1)
  return text.slice(0, at) + more + text.slice(at)
}

const tagsOf = (text: string): readonly string[] => text.match(/<[a-z][^<>]{0,300}>/gi) ?? ["<div>"]
const count = (random: Chance): number => 1 + random.below(random.one([5, 100, 5000, 30_000]))

const PIECES = readJson(new URL("pieces.json", import.meta.url), {
  properties: {
    /** Tags that are left open. */
    openers: STRINGS,
    entities: STRINGS,
    /** Bytes, written as latin1. */
    characters: STRINGS,
    attributes: STRINGS,
    values: STRINGS,
    /** Structured data and meta tags. */
    facts: STRINGS,
    /** Media types that servers send for a page, correctly or not. */
    types: STRINGS,
  },
})

const PAGE: Readonly<Record<string, Change>> = {
  "repeat a tag": ofText((text, random) =>
    insert(text, random, random.one(tagsOf(text)).repeat(count(random))),
  ),
  nest: ofText((text, random) => {
    const tag = random.one([...tagsOf(text).slice(0, 50), ...PIECES.openers])
    const name = /[a-z]\w*/i.exec(tag)?.[0] ?? "p"
    const depth = count(random)
    return insert(text, random, `${tag.repeat(depth)}deep${`</${name}>`.repeat(random.below(depth + 1))}`)
  }),
  "many attributes": ofText((text, random) => {
    const tag = random.one(tagsOf(text))
    const attributes = Array.from({ length: count(random) }, (_, at) => {
      const name = random.happens(0.5) ? random.one(PIECES.attributes) : `a${at}`
      return ` ${name}="${random.one(PIECES.values)}"`
    })
    return text.replace(tag, () => `${tag.slice(0, -1)}${attributes.join("")}>`)
  }),
  "other attributes": ofText((text, random) =>
    text.replaceAll(/="[^"]*"/g, (value) =>
      random.happens(0.05) ? `="${random.one(PIECES.values)}"` : value,
    ),
  ),
  "lose tags": ofText((text, random) =>
    text.replaceAll(/<\/?[^<>]{1,300}>/g, (tag) => (random.happens(0.1) ? "" : tag)),
  ),
  "swap tags": ofText((text, random) => {
    const tags = tagsOf(text)
    return text.replaceAll(/<[a-z][^<>]{0,300}>/gi, (tag) => (random.happens(0.05) ? random.one(tags) : tag))
  }),
  "leave open": ofText((text, random) => insert(text, random, random.one(PIECES.openers))),
  entities: ofText((text, random) => {
    let soup = text
    for (let left = random.below(30); left >= 0; left--)
      soup = insert(soup, random, random.one(PIECES.entities).repeat(1 + random.below(50)))
    return soup
  }),
  characters: ofText((text, random) => {
    let soup = text
    for (let left = random.below(30); left >= 0; left--)
      soup = insert(soup, random, random.one(PIECES.characters))
    return soup
  }),
  facts: ofText((text, random) => insert(text, random, random.one(PIECES.facts))),
  "a long word": ofText((text, random) =>
    insert(text, random, random.one(["a", "-", "|", "*", "`", "[", "\n> ", "字"]).repeat(count(random))),
  ),
  "as UTF-16": (bytes, random) =>
    Buffer.concat([
      Buffer.from(random.one([[0xff, 0xfe], [0xfe, 0xff], []])),
      Buffer.from(bytes.toString("utf8"), "utf16le"),
    ]),
}

/** A page after one to three changes, and perhaps with another type. */
export function mutatedPage(page: RealFile, other: RealFile, random: Chance): Mutant {
  const type = random.happens(0.7) ? "text/html" : random.one(PIECES.types)
  return { ...changed(page, other, random, { ...ANY, ...PAGE }), type }
}

const PDF: Readonly<Record<string, Change>> = {
  numbers: ofText((text, random) =>
    text.replaceAll(/\d+/g, (number) =>
      random.happens(0.01) ? random.one(["0", "-1", "2147483648", "99999999999", "1e99", "65535"]) : number,
    ),
  ),
  names: ofText((text, random) => {
    const names = text.match(/\/[A-Z]\w+/g) ?? ["/Type"]
    return text.replaceAll(/\/[A-Z]\w+/g, (name) => (random.happens(0.02) ? random.one(names) : name))
  }),
  references: ofText((text, random) =>
    text.replaceAll(/\d+ 0 R/g, (ref) => (random.happens(0.05) ? `${random.below(40)} 0 R` : ref)),
  ),
  "deep arrays": ofText((text, random) =>
    insert(text, random, random.one(["[", "<<", "(", "<< /Kids ["]).repeat(count(random))),
  ),
  "wrong filters": ofText((text, random) =>
    text.replace("<< /Length", `<< /Filter [${"/FlateDecode ".repeat(1 + random.below(20))}] /Length`),
  ),
}

export const mutatedPdf = (file: RealFile, other: RealFile, random: Chance): Mutant => ({
  ...changed(file, other, random, { ...ANY, ...PDF }),
  type: file.type,
})

/** An archive with one part changed and repacked, so that the change reaches the part's reader instead of failing the checksum; or an archive changed as it is. */
export function mutatedArchive(file: RealFile, other: RealFile, random: Chance): Mutant {
  if (random.happens(0.3)) return { ...changed(file, other, random, ANY), type: file.type }
  const parts = unzipSync(file.bytes)
  const names = Object.keys(parts)
  const name = random.one(names)
  const part: RealFile = { name: `${name} of ${file.name}`, type: "", bytes: Buffer.from(parts[name]!) }
  if (part.bytes.length === 0 || random.happens(0.05)) delete parts[name]
  const inner =
    name in parts
      ? changed(part, part, random, { ...ANY, ...PAGE })
      : { made: `${part.name}: left out`, bytes: null }
  if (inner.bytes !== null) parts[name] = new Uint8Array(inner.bytes)
  return { bytes: Buffer.from(zipSync(parts)), made: inner.made, type: file.type }
}

function changed(file: RealFile, other: RealFile, random: Chance, changes: Readonly<Record<string, Change>>) {
  let bytes = file.bytes
  const made: string[] = []
  for (let left = 1 + random.below(3); left > 0 && bytes.length > 0; left--) {
    const name = random.one(Object.keys(changes))
    made.push(name)
    bytes = changes[name]!(bytes, random, other).subarray(0, MOST_BYTES)
  }
  return { bytes, made: `${file.name}: ${made.join(", ")}` }
}
