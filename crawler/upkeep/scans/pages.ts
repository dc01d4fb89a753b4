import { formatOfStart } from "../../page/formats/document-format.ts"
import type { Recognition } from "../../page/scans/installed.ts"
import { type Picture, PdfPictures } from "./pictures.ts"

const START_BYTES = 16

/** The pages of a file as images. */
export interface Pages extends Disposable {
  /**
   * @param page from 1
   * @throws Error when the file has no such page, or the page can't show text
   */
  picture(page: number): Promise<Picture>
}

/** @throws Error when the file can't be opened */
export async function openPages(recognition: Recognition, body: Uint8Array): Promise<Pages> {
  const start = Buffer.from(body.subarray(0, START_BYTES)).toString("latin1")
  if (formatOfStart(start, "") !== "picture") return await PdfPictures.open(recognition, body)
  // Imported only when needed: these are large libraries that PDF files don't need.
  const { framePicture } = await import("./frame-picture.ts")
  return { picture: (page) => framePicture(body, page), [Symbol.dispose]: () => undefined }
}
