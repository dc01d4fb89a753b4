/** The parts of a rank, in words. */
const PARTS = {
  lexical: "Words of the question",
  passage: "Words in the best passage",
  vector: "Meaning of the nearest passage",
  late: "Meaning, word by word",
  rerank: "Reranker",
  fused: "Combined",
  boost: "Preferences and phrases",
} as const

/** The parts of a rank, each as a share of its maximum. Parts of 0 are left out. */
export const RankParts = ({
  parts,
  score,
  inWords,
}: {
  readonly parts: Readonly<Partial<Record<keyof typeof PARTS, number>>>
  readonly score: number
  readonly inWords: (value: number) => string
}) => (
  <dl class="rank-parts">
    {(Object.keys(PARTS) as (keyof typeof PARTS)[]).flatMap((name) => {
      const value = parts[name] ?? 0
      return value === 0 ? (
        []
      ) : (
        <div key={name}>
          <dt>{PARTS[name]}</dt>
          <dd>
            <meter min={0} max={1} value={value} aria-label={PARTS[name]} /> {inWords(value)}
          </dd>
        </div>
      )
    })}
    <div>
      <dt>Score</dt>
      <dd>
        <b>{inWords(score)}</b>
      </dd>
    </div>
  </dl>
)
