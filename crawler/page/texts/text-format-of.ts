import { endingOf, fileName } from "../formats/unread-document.ts"
import { TEXT_TYPES } from "../text-formats.ts"
import { TEXT_FORMATS } from "./registry.ts"
import type { TextFormat } from "./text-format.ts"

export type KnownTextFormat = TextFormat<(typeof TEXT_FORMATS)[number]["name"]>

const KNOWN: readonly KnownTextFormat[] = TEXT_FORMATS

/** Number of characters at the start of a text from which its kind can be detected. */
export const TEXT_START_CHARS = 4096

/** Types that say no more than that a body is text. */
const isOpen = (type: string) => type === "" || type === "application/octet-stream" || TEXT_TYPES.has(type)

/**
 * The kinds that a text could be, the likeliest first: by its media type, its beginning and its name.
 * @param type in lower case, without parameters
 * @param start the first {@link TEXT_START_CHARS} of the text
 */
export function textFormatsOf(type: string, url: string, start: string): readonly KnownTextFormat[] {
  const own = KNOWN.filter(({ types }) => types.includes(type))
  const loose = KNOWN.filter(({ looseTypes = [] }) => looseTypes.includes(type))
  if (own.length === 0 && loose.length === 0 && !isOpen(type)) return []
  const begun = KNOWN.filter(({ startsAs }) => startsAs?.(start) === true)
  return [...new Set([...own, ...begun, ...textFormatsOfName(url)])]
}

/** The kinds whose files can have this name. */
export function textFormatsOfName(url: string): readonly KnownTextFormat[] {
  const name = fileName(url).toLowerCase()
  const ending = endingOf(name)
  const named = KNOWN.filter(({ fileNames = [] }) => fileNames.includes(name))
  return [...named, ...KNOWN.filter(({ extensions }) => extensions.includes(ending))]
}

/** Whether a body of this media type, found at `url`, is worth downloading for one of these kinds. */
export const isTextFormatType = (type: string, url: string): boolean =>
  KNOWN.some(({ types }) => types.includes(type)) ||
  (KNOWN.some(({ looseTypes = [] }) => looseTypes.includes(type)) &&
    textFormatsOfName(url).some(({ looseTypes = [] }) => looseTypes.includes(type)))
