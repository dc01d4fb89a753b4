import { fileFormat } from "../file-format.ts"

/** The first bytes of PNG, JPEG and TIFF files; TIFF has two byte orders. */
const STARTS = ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "II*\0", "MM\0*"]
/** The first bytes of WebP files, before and after the length. */
const WEBP = /^RIFF[^]{4}WEBP/

/**
 * Pictures that are documents, such as a scanned letter. This kind claims no media type and no extension, because a
 * crawl uses them to choose what to download from websites, where pictures are parts of pages.
 */
export const picture = fileFormat({
  name: "picture",
  types: [],
  extensions: [],
  startsAs: (start) => STARTS.some((one) => start.startsWith(one)) || WEBP.test(start),
  async load() {
    const { readPicture } = await import("../../scans/read-picture.ts")
    return readPicture
  },
})
