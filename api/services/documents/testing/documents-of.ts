import type { StateStore } from "#base/store/state-store.ts"
import { Jobs } from "#crawler"

import type { KeptDocuments } from "../kept-documents.ts"
import { openDocuments } from "../open-documents.ts"

interface Kept {
  readonly db: StateStore
  readonly dataDir: string
  readonly closing: AsyncDisposableStack
  readonly maxBytes?: number
}

/** The documents of a data folder, opened with the settings of an app on port 8080. */
export function documentsOf({
  db,
  dataDir,
  closing,
  maxBytes = 1_000_000,
}: Kept): () => Promise<KeptDocuments> {
  const kept = openDocuments(
    {
      db,
      jobs: new Jobs(db),
      engineConfig: { dataDir },
      crawlerConfig: { maxBytes },
      config: { publicUrl: "", port: 8080 },
    },
    closing,
  )
  return () => kept
}
