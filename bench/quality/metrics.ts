/** One answer to a judged query: gains of the ranked documents (0 = not relevant), and the gains of all relevant documents. */
export interface Answer {
  readonly gains: readonly number[]
  readonly ideal: readonly number[]
}

/** Normalised discounted cumulative gain of the first k documents (Järvelin and Kekäläinen 2002). */
export function ndcg({ gains, ideal }: Answer, k: number): number {
  const best = dcg(
    [...ideal].sort((a, b) => b - a),
    k,
  )
  return best > 0 ? dcg(gains, k) / best : 0
}

export function recall({ gains, ideal }: Answer, k: number): number {
  return gains.slice(0, k).filter((gain) => gain > 0).length / ideal.length
}

/** 1 / rank of the first relevant document, 0 when there is none. */
export function reciprocalRank({ gains }: Answer): number {
  const first = gains.findIndex((gain) => gain > 0)
  return first === -1 ? 0 : 1 / (first + 1)
}

/** Probability that a relevant item scores higher than an irrelevant one; ties count half (area under the ROC curve). */
export function areaUnderCurve(scored: readonly { score: number; relevant: boolean }[]): number {
  const sorted = [...scored].sort((a, b) => a.score - b.score)
  let rankSum = 0
  for (let at = 0; at < sorted.length;) {
    let end = at
    while (end < sorted.length && sorted[end]!.score === sorted[at]!.score) end++
    const rank = (at + 1 + end) / 2
    for (let i = at; i < end; i++) if (sorted[i]!.relevant) rankSum += rank
    at = end
  }
  const relevant = scored.filter((one) => one.relevant).length
  return (rankSum - (relevant * (relevant + 1)) / 2) / (relevant * (scored.length - relevant))
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

function dcg(gains: readonly number[], k: number): number {
  return gains.slice(0, k).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0)
}
