import { NO_ANSWER, type Unit } from "../reading/answers/answer-blocks.ts"
import { AnswerText } from "../reading/answers/answer-text.tsx"
import type { Result } from "./ask.ts"
import { wayIn } from "../reading/passages/place-in-page.ts"
import { leadToText } from "./links.ts"
import type { Answered } from "./use-asked.ts"

/** The answer: the sources of each unit link to the place on the page that the unit comes from. */
export function Answer({
  answered: { found, problem },
  leadsHere,
}: {
  readonly answered: Answered
  readonly leadsHere: boolean
}) {
  const answer = found?.answer ?? null
  return (
    <section
      class="answer-text"
      aria-label="Answer"
      aria-live="polite"
      aria-busy={found === null && problem === null}
    >
      {problem !== null ? (
        <p class="problem">{problem}</p>
      ) : found === null ? (
        <p class="quiet">Reading the pages…</p>
      ) : answer === null || answer === "" || answer === NO_ANSWER ? (
        <p class="quiet">No page answers this directly. The pages below come closest.</p>
      ) : (
        <AnswerText
          answer={answer}
          isWhole
          cite={(number, unit) => (
            <Citation
              key={number}
              number={number}
              of={found.results[number - 1]}
              unit={unit}
              leadsHere={leadsHere}
            />
          )}
        />
      )}
    </section>
  )
}

function Citation({
  number,
  of,
  unit,
  leadsHere,
}: {
  readonly number: number
  readonly of: Result | undefined
  readonly unit: Unit
  readonly leadsHere: boolean
}) {
  const to = of && leadToText(wayIn(of), unit.pieces, leadsHere)
  if (!of || to == null) return null
  return (
    <a
      class="citation"
      href={to}
      title={of.title}
      aria-label={`Source ${number}: ${of.title}`}
      referrerpolicy="no-referrer"
    >
      {number}
    </a>
  )
}
