import { useEffect, useState } from "preact/hooks"

import type { AnswerOf, GivenTo } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { appliance, inWords } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Problem } from "../parts.tsx"
import { counted } from "../words.ts"
import { shownOutcome } from "./outcomes.ts"

type Address = AnswerOf<"GET /admin/jobs/{id}/addresses">["addresses"][number]
type Outcome = NonNullable<GivenTo<"GET /admin/jobs/{id}/addresses">["query"]>["outcome"]

/** Maximum number of addresses that one call lists. */
const AT_ONCE = 50

const COLUMNS: readonly Column<Address>[] = [
  {
    heading: "Address",
    cell: ({ url }) => (
      <>
        <PageLink to={url}>{url}</PageLink>{" "}
        <Link to={{ view: "page", url, query: null }} class="small">
          Inspect
        </Link>
      </>
    ),
  },
  { heading: "Outcome", cell: ({ outcome }) => <span class="when">{shownOutcome(outcome)}</span> },
  { heading: "Why", cell: ({ detail }) => detail !== null && <span class="explained">{detail}</span> },
]

interface Listed {
  readonly addresses: readonly Address[]
  readonly counted: number
  readonly next: string | null
}

/** The addresses of a run whose visits ended in the chosen way, or in any way. */
export function Addresses({
  job,
  outcome,
  done,
}: {
  readonly job: number
  readonly outcome: string | null
  /** Number of visits so far: when it grows, the list is fetched again. */
  readonly done: number
}) {
  const [listed, setListed] = useState<Listed | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const ask = async (after: string | null, signal?: AbortSignal) => {
    const query = { outcome: (outcome ?? undefined) as Outcome, limit: AT_ONCE, after: after ?? undefined }
    try {
      const answer = await appliance.call("GET /admin/jobs/{id}/addresses", {
        path: { id: job },
        query,
        signal,
      })
      if (signal?.aborted === true) return
      setProblem(null)
      setListed((before) => ({
        addresses: [...(after === null ? [] : (before?.addresses ?? [])), ...answer.addresses],
        counted: answer.counted,
        next: answer.next,
      }))
    } catch (error) {
      if (signal?.aborted !== true) setProblem(inWords(error))
    }
  }
  // Users who have scrolled down the list keep their place.
  const isLong = (listed?.addresses.length ?? 0) > AT_ONCE
  useEffect(() => {
    const given = new AbortController()
    if (!isLong) void ask(null, given.signal)
    return () => given.abort()
  }, [job, outcome, done])
  if (problem !== null) return <Problem text={problem} onAgain={() => void ask(null)} />
  if (listed === null || listed.counted === 0) return null
  const { addresses, next } = listed
  return (
    <>
      <Table
        caption={outcome === null ? "Addresses" : `Addresses: ${shownOutcome(outcome)}`}
        columns={COLUMNS}
        rows={addresses}
        keyOf={({ url, outcome: end }) => `${end} ${url}`}
      />
      <p class="more">
        {next !== null && (
          <Button icon="down" onClick={() => void ask(next)}>
            More addresses
          </Button>
        )}
        <span class="small">
          {addresses.length} of {counted(listed.counted, "address", "addresses")}
        </span>
      </p>
    </>
  )
}
