import { readSourceSpec } from "./source-spec.ts"
import { type SourceEntry, type SourceOrigin, SourceTable } from "./source-table.ts"

/** The declared sources, with a method to declare one. */
export class Sources extends SourceTable {
  /**
   * Adds a source, or replaces the one with the same name. If its schedule changed, the next run is computed again; a queued or running
   * job continues as it was requested.
   * @throws SourceError when `written` is not understood.
   * @throws SourceOfFileError when `origin` is `api` and the file declares the source.
   */
  async put(written: unknown, origin: SourceOrigin = "api"): Promise<SourceEntry> {
    return await this.keep(readSourceSpec(written), origin)
  }
}
