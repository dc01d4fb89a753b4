/**
 * Turns text into vectors of unit length.
 *
 * - `embed()` returns one vector of `dimensions` values for each text, in order; the vector of a text does
 *   not depend on the texts beside it.
 * - Work happens off the event loop. `priority: "query"` goes before waiting `"index"` work.
 * - `id` names model and pooling: vectors of two embedders with the same id may be compared, no others.
 */
export interface Embedder extends AsyncDisposable {
  readonly id: string
  readonly dimensions: number
  embed(
    texts: readonly string[],
    options?: { priority?: "query" | "index"; signal?: AbortSignal },
  ): Promise<Float32Array[]>
}
