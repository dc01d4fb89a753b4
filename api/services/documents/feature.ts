import type { Feature } from "../../feature.ts"
import type { KeptDocuments } from "./kept-documents.ts"
import type { OpenDocumentsParts } from "./open-documents.ts"
import type { DocumentNeeds } from "./routes.ts"
import { documentSettings } from "./settings.ts"

/** Documents sent by programs. */
export const documents = {
  name: "documents",
  settings: documentSettings,
  /** Returns only a function that opens the store, because most processes never receive any documents. */
  open(from, closing) {
    let opening: Promise<KeptDocuments> | undefined
    return () =>
      (opening ??= import("./open-documents.ts").then(({ openDocuments }) => openDocuments(from, closing)))
  },
  async describe() {
    const { documentOperations } = await import("./described/operations.ts")
    return {
      operations: Object.values(documentOperations),
      tags: { Documents: "Content that programs send, for keys with the roles `write` and `admin`." },
    }
  },
  async serve(router, needs) {
    const { DOCUMENTS, documentRoutes } = await import("./routes.ts")
    documentRoutes(router, needs)
    return { roots: [DOCUMENTS] }
  },
} as const satisfies Feature<DocumentNeeds, OpenDocumentsParts>
