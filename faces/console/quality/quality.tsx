import { LinkTabs } from "../link.tsx"
import { Head } from "../parts.tsx"
import { QUALITY_SHOWN, type QualityShown, type Report } from "../place.ts"
import { FeedbackList } from "./feedback.tsx"
import { JudgedQuestions } from "./judged.tsx"
import { Queries } from "./queries.tsx"
import { JudgedRuns } from "./runs.tsx"

const NAMES: Readonly<Record<QualityShown, string>> = {
  queries: "What people asked",
  feedback: "Feedback",
  judged: "Judged questions",
  runs: "Runs",
}

/** How well people find the pages they look for, and how to improve it. */
export function Quality({ shown, report }: { readonly shown: QualityShown; readonly report: Report }) {
  return (
    <>
      <Head title="Search quality" page={NAMES[shown]} />
      <LinkTabs
        label="Search quality"
        parts={QUALITY_SHOWN}
        names={NAMES}
        shown={shown}
        to={(one) => ({ view: "quality", shown: one, report })}
      />
      {shown === "queries" && <Queries key={report} report={report} />}
      {shown === "feedback" && <FeedbackList />}
      {shown === "judged" && <JudgedQuestions />}
      {shown === "runs" && <JudgedRuns />}
    </>
  )
}
