/**
 * A model that reads a question and a passage together (a cross-encoder).
 *
 * Work happens off the event loop, in bounded time, and is given up when the signal aborts.
 */
export interface Reranker extends AsyncDisposable {
  /** Identifies the model: only scores from rerankers with the same id can be compared. */
  readonly id: string
  /** Why there are no scores at present, a sentence for any reader, or null; `scores()` then rejects at once. */
  readonly outage: string | null
  /**
   * Scores how well each text answers the question, 0..1, in order.
   * @throws ModelOutage if there are no scores, or not in time; whatever `signal` aborts with
   */
  scores(question: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>
}
