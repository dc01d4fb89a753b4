import { engineSettings } from "#engine/settings.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import type { Page } from "#engine"
import { ReaderRules } from "./reader-rules.ts"

/** Registers the readers of imported pages. The state is opened when a page first turns out not to be readable by everybody. */
export class ImportedReaders implements Disposable {
  #opened: { readonly db: StateStore; readonly rules: ReaderRules } | null = null

  async register(page: Page): Promise<void> {
    if (page.readers === undefined) return
    this.#opened ??= await opened()
    await this.#opened.rules.register([page])
  }

  [Symbol.dispose](): void {
    this.#opened?.db.close()
  }
}

async function opened() {
  const db = await openStateStore(readSettings(engineSettings, environment()).dataDir)
  return { db, rules: new ReaderRules(db) }
}
