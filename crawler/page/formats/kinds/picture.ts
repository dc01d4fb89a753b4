import { fileFormat } from "../file-format.ts"

/** How PNG, JPEG, TIFF (also with more than 4 GB) and WebP files start. */
const START = /^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff|II[*+]\0|MM\0[*+]|RIFF[^]{4}WEBP)/

/**
 * Pictures that are documents, such as a scanned letter. It claims no media type and no ending, since by those a crawl chooses what it
 * downloads from websites, where pictures are parts of pages.
 */
export const picture = fileFormat({
  name: "picture",
  types: [],
  extensions: [],
  startsAs: (start) => START.test(start),
  async load() {
    const { readPicture } = await import("../../scans/read-picture.ts")
    return readPicture
  },
})
