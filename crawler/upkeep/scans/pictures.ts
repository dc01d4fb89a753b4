import { pathToFileURL } from "node:url"
import type * as Painter from "@hyzyla/pdfium"
import type { Recognition } from "../../page/scans/installed.ts"

/** Points per inch. */
const POINTS = 72
/** Pixels per inch. At this resolution, ten-point letters are 30 pixels high, which is what Tesseract was trained on. */
export const DPI = 300
/** Maximum number of pixels per image; larger pages, such as posters, are rendered at a lower resolution. An A3 sheet has 17 million. */
export const MAX_PIXELS = 20_000_000

/** A page in shades of grey, one byte per pixel, row by row. */
export interface Picture {
  readonly grey: Uint8Array
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Pixels per inch. */
  readonly dpi: number
}

/** The pages of a PDF as images. */
export class PdfPictures implements Disposable {
  readonly #library: Painter.PDFiumLibrary
  readonly #document: Painter.PDFiumDocument

  /** @throws Error when the renderer rejects the file */
  static async open({ painter }: Recognition, body: Uint8Array): Promise<PdfPictures> {
    const { PDFiumLibrary } = (await import(pathToFileURL(painter).href)) as typeof Painter
    const library = await PDFiumLibrary.init()
    try {
      return new PdfPictures(library, await library.loadDocument(body))
    } catch (error) {
      library.destroy()
      throw error
    }
  }

  private constructor(library: Painter.PDFiumLibrary, document: Painter.PDFiumDocument) {
    this.#library = library
    this.#document = document
  }

  /**
   * @param page from 1
   * @throws Error when it can't be rendered
   */
  async picture(page: number): Promise<Picture> {
    const one = this.#document.getPage(page - 1)
    const { originalWidth, originalHeight } = one.getOriginalSize()
    const area = (originalWidth * originalHeight) / POINTS ** 2
    const dpi = Math.min(DPI, Math.sqrt(MAX_PIXELS / area))
    const { data, width, height } = await one.render({
      scale: dpi / POINTS,
      colorSpace: "Gray",
      render: "bitmap",
    })
    return { grey: data, width, height, dpi }
  }

  [Symbol.dispose](): void {
    this.#document.destroy()
    this.#library.destroy()
  }
}
