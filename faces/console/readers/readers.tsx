import { useContext, useEffect, useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Field } from "../../design/field.tsx"
import { Icon } from "../../design/icons.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { Going, Link } from "../link.tsx"
import { Block, Form, Head, Nothing, Time } from "../parts.tsx"
import { addressIn, counted, whole } from "../words.ts"

type Traced = AnswerOf<"GET /admin/readers">

/**
 * The readers of one page, and why they may read it. @param who a person by id or user name, or principals, to check
 * against the rules
 */
export function Readers({ url, who }: { readonly url: string | null; readonly who: string | null }) {
  return (
    <>
      <Head title="Readers" page="Readers" />
      <Asking url={url} who={who} />
      {url === null ? (
        <>
          <Nothing icon="eye" title="Who may read this page, and why?">
            <p>
              Enter the address of a page. Add a person to see whether they may read it, and which rule keeps
              them out.{" "}
              <Link to={{ view: "people", shown: "matrix", group: null }}>
                Groups and sources at a glance
              </Link>
            </p>
          </Nothing>
          <ForNobody />
        </>
      ) : (
        <Page key={`${url} ${who ?? ""}`} url={url} who={who} />
      )}
    </>
  )
}

/** Pages that have lost their last reader. */
function ForNobody() {
  const { value } = useAnswer("GET /admin/readers/for-nobody")
  if (value === null || value.total === 0) return null
  return (
    <Block id="for-nobody" title="Pages that no one may read">
      <p class="small">
        Only admins can read them: no readers are allowed, or all allowed readers are also denied.
      </p>
      <ul class="for-nobody">
        {value.pages.map(({ url, source }) => (
          <li key={`${source} ${url}`}>
            <Link to={{ view: "readers", url, who: null }}>{url}</Link> <span class="small">{source}</span>
          </li>
        ))}
        {value.total > value.pages.length && (
          <li class="small">and {whole(value.total - value.pages.length)} more</li>
        )}
      </ul>
    </Block>
  )
}

function Asking({ url, who }: { readonly url: string | null; readonly who: string | null }) {
  const [address, setAddress] = useState(url ?? "")
  const [someone, setSomeone] = useState(who ?? "")
  const [wrong, setWrong] = useState<string | null>(null)
  const go = useContext(Going)
  useEffect(() => {
    setAddress(url ?? "")
    setSomeone(who ?? "")
  }, [url, who])
  const submit = () => {
    const page = addressIn(address)
    setWrong(page === null ? "Enter the address of a page." : null)
    if (page !== null) go({ view: "readers", url: page, who: someone.trim() || null })
  }
  return (
    <Form class="look-form inspect" onSubmit={submit}>
      <Field
        label="Address of the page"
        name="url"
        value={address}
        placeholder="https://wiki.example.com/salaries"
        wrong={wrong}
        onWrite={setAddress}
      />
      <Field
        label="Person (optional)"
        name="who"
        value={someone}
        placeholder="anna@example.com or group:hr"
        onWrite={setSomeone}
      />
      <p class="row">
        <Button look="primary" icon="search" type="submit">
          Check
        </Button>
      </p>
    </Form>
  )
}

/** Principals begin with `user:` or `group:`, or are `signed-in`; anything else is a person. */
const namedBy = (who: string | null) =>
  who === null ? {} : /(?:^|,)\s*(?:user:|group:|signed-in)/.test(who) ? { principals: who } : { person: who }

function Page({ url, who }: { readonly url: string; readonly who: string | null }) {
  // The answer is expensive, because everyone who has signed in is checked: once is enough.
  const polled = useAnswer("GET /admin/readers", { query: { url, ...namedBy(who) } }, () => null)
  const { value } = polled
  return (
    <>
      <PolledStatus of={polled} />
      {value !== null && !value.in_index && (
        <Nothing icon="page" title="This page is not in the index">
          <p>
            <Link to={{ view: "page", url, query: null }}>Why is it not found?</Link>
          </p>
        </Nothing>
      )}
      {value?.in_index === true && (
        <>
          <Verdict of={value} />
          <Rules of={value} />
          {value.observed.length > 0 && <Observed of={value} />}
          <Who of={value} />
        </>
      )}
    </>
  )
}

function Verdict({ of }: { readonly of: Traced }) {
  const { title, may_read: mayRead, because, asked, effective, people, url } = of
  const isOpen = effective !== null && effective.allow.length + effective.deny.length === 0
  const whom = asked?.user ?? asked?.principals?.join(", ") ?? "They"
  const text =
    mayRead === null
      ? isOpen
        ? "Everybody may read this page."
        : `${whole(people.total)} of ${counted(people.of, "person", "people")} may read this page.`
      : mayRead
        ? `${whom} may read this page.`
        : `${whom} may not read this page. ${because ?? ""}`
  return (
    <section class={mayRead === false ? "verdict bad" : "verdict good"} aria-label="Verdict">
      <Icon name={mayRead === null ? "eye" : mayRead ? "check" : "close"} />
      <div>
        <h2>{title || "Untitled"}</h2>
        <p>{text}</p>
      </div>
      <Link to={{ view: "page", url, query: null }} class="button">
        Inspect the page
      </Link>
    </section>
  )
}

const KINDS = { person: "Person", role: "Role", source: "Source", page: "Page" } as const

/** The rules that a reader has to pass: if any of them refuses, the page is hidden. */
const Rules = ({ of: { rules } }: { readonly of: Traced }) => (
  <Block id="rules" title="The rules, in order">
    <ol class="why-steps readers-rules">
      {rules.map(({ kind, source, from, lets_in: letsIn, text }) => (
        <li key={`${kind} ${source ?? ""}`} class={letsIn === false ? "no" : letsIn ? "yes" : undefined}>
          <Icon name={letsIn === false ? "close" : letsIn ? "check" : "next"} />
          <strong>{KINDS[kind]}</strong>
          <div>
            <span>{text}</span>
            {letsIn !== null && <span class="unseen">{letsIn ? "Lets them in." : "Keeps them out."}</span>}
            {from !== null && (
              <p class="small">
                Found in{" "}
                {kind === "source" && source !== null ? (
                  <Link to={{ view: "source", source }}>{from}</Link>
                ) : (
                  from
                )}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  </Block>
)

/** What the site showed when observers were logged in. */
const Observed = ({ of: { observed } }: { readonly of: Traced }) => (
  <Block id="observed" title="What observers saw">
    <Table
      caption="Observers"
      columns={OBSERVED}
      rows={observed}
      keyOf={({ source, observer }) => `${source} ${observer}`}
    />
  </Block>
)

const OBSERVED: readonly Column<Traced["observed"][number]>[] = [
  {
    heading: "Observer",
    cell: ({ observer, source }) => (
      <>
        <strong>{observer}</strong>
        <p class="small">{source}</p>
      </>
    ),
  },
  {
    heading: "Shown",
    cell: ({ shown }) => <Chip tone={shown ? "good" : undefined}>{shown ? "Yes" : "No"}</Chip>,
  },
  { heading: "Why", cell: ({ reason }) => reason },
  { heading: "When", cell: ({ at }) => <Time class="when" at={at} /> },
]

/** The known people who may read the page. */
const Who = ({ of: { people, url } }: { readonly of: Traced }) => (
  <Block id="readers" title="Who may read it">
    {people.of === 0 ? (
      <p class="small">No one with the right to read has signed in yet.</p>
    ) : (
      <>
        <p class="small">
          {whole(people.total)} of {counted(people.of, "person", "people")} who have signed in.
        </p>
        <ul class="reader-names">
          {people.users.map((user) => (
            <li key={user}>
              <Link to={{ view: "readers", url, who: user }} class="chip">
                {user}
              </Link>
            </li>
          ))}
          {people.total > people.users.length && (
            <li class="small">and {whole(people.total - people.users.length)} more</li>
          )}
        </ul>
      </>
    )}
  </Block>
)
