import type { ScreenshotOptions } from "#crawler/reading.ts"

import { type FieldReader, FieldReader as Reader, isFields } from "../../../server/wire/fields.ts"

/** The requested contents of a document. */
export interface Formats {
  readonly markdown: boolean
  readonly html: boolean
  readonly rawHtml: boolean
  readonly links: boolean
  readonly images: boolean
  readonly summary: boolean
  readonly screenshot: ScreenshotOptions | null
  readonly json: JsonFormat | null
  readonly changeTracking: { readonly withDiff: boolean } | null
}

/** Values that a model takes from the page. */
export interface JsonFormat {
  readonly prompt: string | null
  /** JSON Schema; null if the prompt alone describes the result. */
  readonly schema: Readonly<Record<string, unknown>> | null
}

/** A version of the API; clients use both. */
export type Version = 1 | 2

const MAX_FORMATS = 20
const MAX_PROMPT_CHARS = 10_000
const MAX_SCHEMA_CHARS = 50_000
const VIEWPORT_PIXELS = { min: 100, max: 3840 }

const NOTHING: Formats = {
  markdown: false,
  html: false,
  rawHtml: false,
  links: false,
  images: false,
  summary: false,
  screenshot: null,
  json: null,
  changeTracking: null,
}

const PLAIN = ["markdown", "html", "rawHtml", "links", "images", "summary"] as const
/** The error text for formats that Firecrawl has but that nothing here can produce. */
const UNKNOWN_HERE =
  "Each must be one of markdown, html, rawHtml, links, images, summary, screenshot, json and changeTracking."

/**
 * Reads the field `formats`: names, and in version 2 objects with a `type`. In version 1, format options are separate
 * fields.
 * @param otherwise the formats when the field is not set
 */
export function readFormats(
  body: FieldReader,
  version: Version,
  otherwise: Formats = { ...NOTHING, markdown: true },
): Formats {
  const given = body.any("formats")
  const v1Json = version === 1 ? (body.object("jsonOptions") ?? body.object("extract")) : undefined
  const v1Tracking = version === 1 ? body.object("changeTrackingOptions") : undefined
  if (given === undefined) return otherwise
  if (!Array.isArray(given) || given.length > MAX_FORMATS) {
    throw body.refusal("formats", `Must be a list of at most ${MAX_FORMATS} formats.`)
  }
  let formats = NOTHING
  for (const one of given as unknown[]) {
    const { type, options } = partsOf(one)
    const plain = PLAIN.find((name) => name === type)
    if (plain !== undefined) {
      options.end()
      formats = { ...formats, [plain]: true }
    } else if (type === "screenshot" || (version === 1 && type === "screenshot@fullPage")) {
      formats = { ...formats, screenshot: screenshotOf(options, type !== "screenshot") }
    } else if (type === "json" || (version === 1 && type === "extract")) {
      formats = { ...formats, json: jsonOf(v1Json ?? options) }
    } else if (type === "changeTracking") {
      formats = { ...formats, changeTracking: trackingOf(v1Tracking ?? options) }
    } else throw body.refusal("formats", UNKNOWN_HERE)
  }
  if (v1Json !== undefined && formats.json === null) {
    throw body.refusal("jsonOptions", "Needs the format json.")
  }
  if (v1Tracking !== undefined && formats.changeTracking === null) {
    throw body.refusal("changeTrackingOptions", "Needs the format changeTracking.")
  }
  return formats
}

function partsOf(format: unknown): { readonly type: unknown; readonly options: FieldReader } {
  const options = new Reader(isFields(format) ? format : {}, "formats.")
  return { type: isFields(format) ? options.any("type") : format, options }
}

function screenshotOf(options: FieldReader, isFull: boolean): ScreenshotOptions {
  const fullPage = options.boolean("fullPage") ?? isFull
  const quality = options.number("quality", 0, 100)
  const given = options.object("viewport")
  const side = (name: string) => given!.number(name, VIEWPORT_PIXELS.min, VIEWPORT_PIXELS.max)
  const viewport = given && { width: side("width") ?? 1280, height: side("height") ?? 720 }
  given?.end()
  options.end()
  return { fullPage, quality, viewport }
}

function jsonOf(options: FieldReader): JsonFormat {
  const prompt = options.string("prompt", MAX_PROMPT_CHARS)?.trim() || null
  const schema = options.any("schema")
  options.only(
    [false],
    ["checkPromptInjection"],
    "No model checks pages for prompt injection here; pages that give orders to language models are marked.",
  )
  options.only([], ["systemPrompt", "agent"], "Not supported here.")
  options.end()
  if (schema !== undefined && (!isFields(schema) || JSON.stringify(schema).length > MAX_SCHEMA_CHARS)) {
    throw options.refusal("schema", `Must be a JSON Schema of at most ${MAX_SCHEMA_CHARS} characters.`)
  }
  if (prompt === null && schema === undefined) {
    throw options.refusal("schema", "The format json needs a schema, a prompt or both.")
  }
  return { prompt, schema: (schema as JsonFormat["schema"] | undefined) ?? null }
}

function trackingOf(options: FieldReader): { readonly withDiff: boolean } {
  const modes = options.strings("modes", 2, 20) ?? []
  if (modes.some((mode) => mode !== "git-diff")) {
    throw options.refusal("modes", "Must be 'git-diff' or empty; comparing values by schema isn't supported.")
  }
  options.only([], ["schema", "prompt"], "Comparing values by schema isn't supported.")
  options.only([], ["tag"], "Pages are compared with the index, which keeps one version of each.")
  options.end()
  return { withDiff: modes.length > 0 }
}
