import { useState } from "preact/hooks"

import { type AnswerOf, FossickError } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Field, Select } from "../../design/field.tsx"
import { toast } from "../../design/toast.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { appliance, inWords } from "../../session/appliance.ts"
import { Form, Problem } from "../parts.tsx"

/** A judged question with its ranks. */
export type History = AnswerOf<"GET /admin/judged-questions/{id}">

const GRADES = { 1: "Somewhat", 2: "Well", 3: "Fully" } as const
const GRADE_VALUES = [1, 2, 3]

const gradeName = (grade: number): string => GRADES[grade as keyof typeof GRADES] ?? `Grade ${grade}`

interface Page {
  readonly url: string
  readonly grade: number
}

/** The pages that answer a question, being edited. */
export interface Judgement {
  readonly pages: readonly Page[]
  readonly isChanged: boolean
  readonly isBusy: boolean
  readonly problem: string | null
  /** Why an added address isn't accepted. */
  readonly wrong: string | null
  /** Changes a page's grade; 0 removes the page. */
  readonly grade: (url: string, grade: number) => void
  readonly save: () => void
  readonly forget: () => void
}

export function useJudgement(question: string, history: History | null, onChanged: () => void): Judgement {
  const kept = history?.pages ?? []
  const [pages, setPages] = useState<readonly Page[]>(kept)
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<unknown>(null)
  const act = async (call: () => Promise<unknown>, said: string) => {
    setBusy(true)
    setFailed(null)
    try {
      await call()
      toast(said)
      onChanged()
    } catch (error) {
      setFailed(error)
    }
    setBusy(false)
  }
  const wrong = failed instanceof FossickError && failed.problems.length > 0 ? failed.detail : null
  return {
    pages,
    isChanged: JSON.stringify(pages) !== JSON.stringify(kept),
    isBusy,
    problem: failed === null || wrong !== null ? null : inWords(failed),
    wrong,
    grade: (url, grade) =>
      setPages((before) => {
        if (grade === 0) return before.filter((one) => one.url !== url)
        return before.some((one) => one.url === url)
          ? before.map((one) => (one.url === url ? { url, grade } : one))
          : [...before, { url, grade }]
      }),
    save: () =>
      void act(
        () =>
          history === null
            ? appliance.call("POST /admin/judged-questions", { body: { question, pages } })
            : appliance.call("PUT /admin/judged-questions/{id}", {
                path: { id: history.id },
                body: { pages },
              }),
        "Judgement saved",
      ),
    forget: () =>
      void act(
        () => appliance.call("DELETE /admin/judged-questions/{id}", { path: { id: history?.id ?? "" } }),
        "The question is no longer judged",
      ),
  }
}

const optionsOf = (grade: number) =>
  [...new Set([...GRADE_VALUES, grade])]
    .filter((one) => one > 0)
    .map((one) => ({ value: String(one), label: gradeName(one) }))

/** How well a page answers the question. */
export function GradeOf({
  judgement,
  url,
  title,
}: {
  readonly judgement: Judgement
  readonly url: string
  readonly title: string
}) {
  const grade = judgement.pages.find((one) => one.url === url)?.grade ?? 0
  return (
    <Select
      name="grade"
      label={
        <>
          How well it answers the question<span class="unseen">: {title}</span>
        </>
      }
      value={String(grade)}
      options={[{ value: "0", label: "Not judged" }, ...optionsOf(grade)]}
      onChoose={(value) => judgement.grade(url, Number(value))}
    />
  )
}

/** The pages that answer a question: those among its results, and others. */
export function JudgedPages({
  judgement,
  found,
  isJudged,
}: {
  readonly judgement: Judgement
  /** Addresses of the question's results. */
  readonly found: readonly string[]
  readonly isJudged: boolean
}) {
  const { pages, isChanged, isBusy, problem } = judgement
  return (
    <section class="card" aria-labelledby="right-pages">
      <h2 id="right-pages">Pages that answer this question</h2>
      {pages.length === 0 ? (
        <p class="small">
          Rate how well a result answers the question, or add a page that was not found. Each run, and each
          rule that you try, then shows how these pages rank.
        </p>
      ) : (
        <ul class="right-pages">
          {pages.map((page) => (
            <RightPage
              key={page.url}
              page={page}
              isFound={found.includes(page.url)}
              onTakeOut={() => judgement.grade(page.url, 0)}
            />
          ))}
        </ul>
      )}
      <AddPage judgement={judgement} />
      {problem !== null && <Problem title="The judgement was not saved" text={problem} />}
      <p class="row">
        <Button
          look="primary"
          icon="check"
          disabled={!isChanged || isBusy || pages.length === 0}
          onClick={judgement.save}
        >
          Save the judgement
        </Button>
        {isJudged && (
          <Button look="quiet" icon="trash" disabled={isBusy} onClick={judgement.forget}>
            Stop judging this question
          </Button>
        )}
      </p>
    </section>
  )
}

const RightPage = ({
  page: { url, grade },
  isFound,
  onTakeOut,
}: {
  readonly page: Page
  readonly isFound: boolean
  readonly onTakeOut: () => void
}) => (
  <li>
    <div>
      <PageLink to={url} isApart>
        {url}
      </PageLink>
      <p class="small">
        {gradeName(grade)}
        {!isFound && ", not in the top ten"}
      </p>
    </div>
    <Button look="quiet" icon="close" label={`Remove ${url}`} onClick={onTakeOut} />
  </li>
)

/** Adds a page that is not among the results. */
function AddPage({ judgement: { grade, wrong } }: { readonly judgement: Judgement }) {
  const [url, setUrl] = useState("")
  const add = () => {
    if (url.trim() === "") return
    grade(url.trim(), 3)
    setUrl("")
  }
  return (
    <Form class="add-page" onSubmit={add}>
      <Field
        name="url"
        type="url"
        label="Another page"
        placeholder="https://"
        value={url}
        wrong={wrong}
        onWrite={setUrl}
      />
      <Button type="submit" icon="plus">
        Add
      </Button>
    </Form>
  )
}
