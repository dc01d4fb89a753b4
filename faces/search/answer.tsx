import { useState } from "preact/hooks"

import { Button } from "../design/button.tsx"
import { Icon } from "../design/icons.tsx"
import { copy, toast } from "../design/toast.tsx"
import { citesOf, NO_ANSWER, type Unit } from "../reading/answers/answer-blocks.ts"
import { AnswerText } from "../reading/answers/answer-text.tsx"
import { appliance, inWords } from "../session/appliance.ts"
import type { Asked } from "./asked.ts"
import type { Result, Searched } from "./use-search.ts"

/** The answer: the sources of each unit open the passage they cite. */
export function Answer({
  searched: { found, answer, followUps, isAnswering },
  onOpen,
  onAsk,
}: {
  readonly searched: Searched
  readonly onOpen: (copy: NonNullable<Asked["copy"]>) => void
  readonly onAsk: (question: string) => void
}) {
  if (found === null || found.results.length === 0) return null
  if (answer === null && !isAnswering) return null
  const isNone = answer === NO_ANSWER
  return (
    <section class={isNone ? "answer none" : "answer"} aria-label="Answer" aria-busy={isAnswering}>
      {answer === null ? (
        <p class="waiting">Reading the pages…</p>
      ) : isNone ? (
        <p>
          <Icon name="info" /> No page answers this directly. These come closest:
        </p>
      ) : (
        <AnswerText
          answer={answer}
          isWhole={!isAnswering}
          cite={(number, unit) => (
            <Citation
              key={number}
              number={number}
              of={found.results[number - 1]}
              unit={unit}
              onOpen={onOpen}
            />
          )}
          besideCode={(code) => (
            <Button
              look="quiet"
              icon="copy"
              label="Copy code"
              onClick={() => void copy(code, "Code copied")}
            />
          )}
        />
      )}
      {!isNone && answer !== null && (
        <footer>
          <Feedback
            key={found.request_id}
            requestId={found.request_id}
            cited={citedPages(answer, found.results)}
          />
          {followUps.length > 0 && (
            <ul class="follow-ups" aria-label="Follow-up questions">
              {followUps.map((question) => (
                <li key={question}>
                  <button type="button" class="chip" onClick={() => onAsk(question)}>
                    {question}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </footer>
      )}
    </section>
  )
}

function Citation({
  number,
  of,
  unit,
  onOpen,
}: {
  readonly number: number
  readonly of: Result | undefined
  readonly unit: Unit
  readonly onOpen: (copy: NonNullable<Asked["copy"]>) => void
}) {
  if (of === undefined) return null
  return (
    <button
      type="button"
      class="citation"
      title={of.title}
      aria-label={`Source ${number}: ${of.title}`}
      onClick={() => onOpen({ url: of.url, passage: unit.pieces.join(" ") })}
    >
      {number}
    </button>
  )
}

/** Addresses of the pages that an answer cites. */
const citedPages = (answer: string, results: readonly Result[]): readonly string[] =>
  citesOf(answer).flatMap((number) => results[number - 1]?.url ?? [])

/** Asks whether the answer helped, and reports it to the operator. */
function Feedback({
  requestId,
  cited,
}: {
  readonly requestId: string
  /** The pages that the feedback is about. */
  readonly cited: readonly string[]
}) {
  const [given, setGiven] = useState<number | null>(null)
  const give = async (score: number) => {
    setGiven(score)
    try {
      await appliance.call("POST /feedback", {
        body: { request_id: requestId, human_score: score, used_urls: cited },
      })
      toast("Thank you. The operator can see your rating.")
    } catch (error) {
      setGiven(null)
      toast(inWords(error))
    }
  }
  return (
    <div class="feedback" role="group" aria-label="Did this help?">
      <Button
        look="quiet"
        icon="like"
        label="This helped"
        aria-pressed={given === 1}
        onClick={() => void give(1)}
      />
      <Button
        look="quiet"
        icon="dislike"
        label="This did not help"
        aria-pressed={given === 0}
        onClick={() => void give(0)}
      />
    </div>
  )
}
