import { Link } from "../link.tsx"
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

/** How well people find what they look for, and what to do about it. */
export function Quality({ shown, report }: { readonly shown: QualityShown; readonly report: Report }) {
  return (
    <>
      <Head title="Search quality" page={NAMES[shown]} />
      <nav class="tabs" aria-label="Search quality">
        {QUALITY_SHOWN.map((one) => (
          <Link key={one} to={{ view: "quality", shown: one, report }} class="tab" current={one === shown}>
            {NAMES[one]}
          </Link>
        ))}
      </nav>
      {shown === "queries" && <Queries key={report} report={report} />}
      {shown === "feedback" && <FeedbackList />}
      {shown === "judged" && <JudgedQuestions />}
      {shown === "runs" && <JudgedRuns />}
    </>
  )
}
