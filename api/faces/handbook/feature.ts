import type { Feature } from "../../feature.ts"

interface Needs {
  /** Folder of the handbook's Markdown. */
  readonly docsDir: string
  readonly config: { readonly publicUrl: string }
  readonly readOnly: string | null
  /** The public key that the handbook's pages use to search the handbook; null if they have no search. */
  readonly handbookSearchKey: () => Promise<string | null>
  /** The API reference, appended to a page. */
  readonly reference: () => Promise<string>
}

/** The handbook as web pages. */
export const handbook = {
  name: "handbook",
  async serve(_router, { docsDir, config, readOnly, handbookSearchKey, reference }) {
    const { handbook: serveHandbook } = await import("./handbook.ts")
    return {
      roots: ["docs"],
      middleware: serveHandbook({
        docsDir,
        ...(config.publicUrl !== "" && { publicUrl: config.publicUrl }),
        notice: readOnly,
        searchKey: handbookSearchKey,
        appended: { client: reference },
      }),
    }
  },
} as const satisfies Feature<Needs>
