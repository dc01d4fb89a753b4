/**
 * A model that reads a question and a passage together (a cross-encoder).
 *
 * Work happens off the event loop, in bounded time, and is abandoned when the signal aborts.
 */
export interface Reranker extends AsyncDisposable {
  /** Identifies the model: only scores from rerankers with the same id can be compared. */
  readonly id: string
  /** The reason why there are no scores at present, as a sentence for any reader, or null; if set, `scores()` rejects at once. */
  readonly outage: string | null
  /**
   * Scores how well each text answers the question, 0..1, in order.
   * @throws ModelOutage if there are no scores, or not in time; the abort reason of `signal`
   */
  scores(question: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>
}
