import type { StateStore } from "#base/store/state-store.ts"
import { isFolderAddress } from "../addresses-below.ts"
import type { ContentKind } from "../content.ts"
import { DocumentStore } from "./document-store.ts"
import { DocumentsContent } from "./documents-content.ts"

const stores = new WeakMap<StateStore, DocumentStore>()

/** The documents of a state. Asked for often. */
function documentsIn(db: StateStore): DocumentStore {
  const store = stores.get(db) ?? new DocumentStore(db)
  stores.set(db, store)
  return store
}

/** Documents that programs send. */
export const DOCUMENTS: ContentKind = {
  field: "documents",
  problems: ({ seeds }) =>
    seeds.flatMap((seed, index) =>
      isFolderAddress(seed)
        ? []
        : [{ path: ["seeds", index], message: "must end with /, because documents have addresses below it" }],
    ),
  make: ({ name }, { db }) => {
    if (db === null) throw new Error("documents are in the state, and there is none")
    return new DocumentsContent(name, documentsIn(db))
  },
  // Programs send them: there is nothing to look at.
  recognize: async () => null,
}
