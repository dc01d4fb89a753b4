import { atFolderAddresses } from "../addresses-below.ts"
import type { ContentKind } from "../content.ts"

/** Documents that programs send. */
export const DOCUMENTS: ContentKind = {
  field: "documents",
  problems: (spec) => atFolderAddresses(spec, "documents"),
  watchedBy: () => "crawler",
  async make({ name }, { db }) {
    if (db === null) throw new Error("documents are stored in the state, and there is no state")
    const [{ DocumentsContent }, { documentsIn }] = await Promise.all([
      import("./documents-content.ts"),
      import("./document-store.ts"),
    ])
    return new DocumentsContent(name, documentsIn(db))
  },
  // Programs send documents, so there is no start to recognize.
  recognize: async () => null,
}
