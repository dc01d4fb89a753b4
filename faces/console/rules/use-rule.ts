import { useContext, useState } from "preact/hooks"

import { FossickError, type Rule } from "../../../api/client/client.ts"
import { toast } from "../../design/toast.tsx"
import { appliance } from "../../session/appliance.ts"
import { useFormProblems } from "../asking/use-form-problems.ts"
import { Going } from "../link.tsx"
import type { Place } from "../place.ts"
import { KIND_NAMES, type RuleDraft, ruleOf } from "./rule-draft.ts"

export interface RuleStart {
  readonly start: RuleDraft
  readonly isNew: boolean
  /** The first question to try the rule with. */
  readonly tries: string | null
  /** The question that the rule is for. */
  readonly asked: string | null
  /** Ids of other rules. */
  readonly others: readonly string[]
}

interface Tried {
  readonly rule: Rule
  readonly questions: readonly string[]
}

/** A rule that is being written, tried on questions and saved. */
export function useRule({ start, isNew, tries, asked, others }: RuleStart) {
  const [draft, setDraft] = useState(start)
  const [questions, setQuestions] = useState(tries ?? "")
  const [tried, setTried] = useState<Tried | null>(null)
  const [isBusy, setBusy] = useState(false)
  const problems = useFormProblems()
  const go = useContext(Going)
  const rule = ruleOf(draft, others)
  const after: Place = asked === null ? { view: "rules" } : { view: "question", question: asked }
  const save = async () => {
    setBusy(true)
    problems.tell(null)
    try {
      if (isNew) await appliance.call("POST /admin/rules", { body: rule })
      else await appliance.call("PUT /admin/rules/{id}", { path: { id: rule.id }, body: rule })
      toast(`${KIND_NAMES[rule.kind]} ${rule.id} has been saved and now applies`)
      go(after)
    } catch (error) {
      problems.tell(error)
      setBusy(false)
    }
  }
  return {
    draft,
    change: (fields: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...fields })),
    /** The rule that the draft describes. */
    rule,
    /** Questions to try the rule with, one per line. */
    questions,
    setQuestions,
    /** The rule and the questions of the last try. */
    tried,
    /** Whether the last try used the rule in its current form. */
    isTried: tried !== null && JSON.stringify(tried.rule) === JSON.stringify(rule),
    tryIt: () => {
      problems.tell(null)
      setTried({ rule, questions: questionsOf(questions, draft) })
    },
    /** Sets the problems from a failed try; null if it succeeded. */
    onTried: (failure: unknown) => {
      if (failure instanceof FossickError && failure.problems.length > 0) {
        setTried(null)
        problems.tell(failure)
      }
    },
    problems,
    isBusy,
    save,
    /** Where the user goes after saving. */
    after,
  }
}

export type RuleWriting = ReturnType<typeof useRule>

/** Maximum number of questions in one preview. */
const MOST_QUESTIONS = 20

/** The questions to try: those entered, and those of a pin. */
function questionsOf(written: string, { kind, questions }: RuleDraft): readonly string[] {
  const lines = `${written}\n${kind === "pin" ? questions : ""}`.split("\n").map((one) => one.trim())
  return [...new Set(lines.filter((one) => one !== ""))].slice(0, MOST_QUESTIONS)
}
