import { isDocumentAddress, isReadableType } from "../../../page/content-type.ts"
import { mediaType } from "../../../page/headers/media-type.ts"

/** Types of files that pages load and people don't read: feeds, sitemaps, data, scripts and style sheets. XHTML is not among them. */
const PARTS =
  /^(?:text|application)\/(?:(?!xhtml\+xml$)(?:[\w.+-]+\+)?xml|(?:[\w.+-]+\+)?json|(?:x-)?(?:java|ecma)script|css)$/
/** The types that servers send for files they don't recognize, such as fonts. */
const UNKNOWN = new Set(["", "application/octet-stream"])

/** Whether an entry of this type, at this address or path, may be a page. Archives of websites also contain images, scripts and style sheets. */
export function isPageType(header: string | undefined, place: string): boolean {
  const type = mediaType(header)
  if (UNKNOWN.has(type)) return isDocumentAddress(place)
  return isReadableType(type, place) && !PARTS.test(type) && !place.endsWith("/robots.txt")
}
