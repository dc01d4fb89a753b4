import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Chip } from "../../design/chip.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { More, useFirstRows } from "../asking/more.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { Link, LinkTabs } from "../link.tsx"
import { Head, Nothing, Time } from "../parts.tsx"
import { PEOPLE_SHOWN, type PeopleShown } from "../place.ts"
import { whole } from "../words.ts"
import { Filter } from "./filter.tsx"
import { Matrix } from "./matrix.tsx"

export type Person = AnswerOf<"GET /admin/people">["people"][number]
type Group = AnswerOf<"GET /admin/groups">["groups"][number]

const NAMES: Readonly<Record<PeopleShown, string>> = {
  people: "People",
  groups: "Groups",
  matrix: "Groups and sources",
}

/** The people who have signed in, their groups, and the sources that each group may read. */
export function People({ shown, group }: { readonly shown: PeopleShown; readonly group: string | null }) {
  return (
    <>
      <Head
        title="People"
        page="People"
        under={
          group !== null && (
            <>
              <span>Only people in the group {group}.</span>
              <Link to={{ view: "people", shown, group: null }}>All people</Link>
            </>
          )
        }
      />
      <LinkTabs
        label="People"
        parts={PEOPLE_SHOWN}
        names={NAMES}
        shown={shown}
        to={(one) => ({ view: "people", shown: one, group: null })}
      />
      {shown === "people" && <Everybody group={group} />}
      {shown === "groups" && <Groups />}
      {shown === "matrix" && <Matrix />}
    </>
  )
}

/** A person's name, or the user name if there is none. */
export const nameOf = ({ name, user }: Pick<Person, "name" | "user">): string => name || user

const ROLES: Readonly<Record<string, string>> = { search: "Reader", operator: "Operator", admin: "Admin" }

export const RoleChip = ({ of: { role, disabled_at: disabled } }: { readonly of: Person }) => {
  if (disabled !== null) return <Chip tone="bad">Disabled</Chip>
  if (role === null) return <Chip tone="warn">No access</Chip>
  return <Chip tone={role === "search" ? "good" : "accent"}>{ROLES[role] ?? role}</Chip>
}

function Everybody({ group }: { readonly group: string | null }) {
  const [search, setSearch] = useState("")
  const rows = useFirstRows()
  const wanted = search.trim()
  const polled = useAnswer("GET /admin/people", {
    query: { limit: rows.limit, ...(wanted !== "" && { search: wanted }), ...(group !== null && { group }) },
  })
  const { value } = polled
  const isFiltered = wanted !== "" || group !== null
  return (
    <section class="block" aria-label="All people">
      <Filter label="Name or e-mail address" name="search" value={search} onWrite={setSearch} />
      <PolledStatus of={polled} />
      {value?.total === 0 && isFiltered && <Nothing icon="search" title="No matching people" />}
      {value?.total === 0 && !isFiltered && (
        <Nothing icon="people" title="No one has signed in yet">
          <p>
            Once your identity provider is set up in <code>sign-on.yaml</code>, people can sign in with the
            accounts they already have. <a href="docs/people">About people and groups</a>
          </p>
        </Nothing>
      )}
      {value !== null && value.total > 0 && (
        <>
          <Table caption="People" columns={PEOPLE} rows={value.people} keyOf={({ id }) => id} />
          <More
            rows={rows}
            shown={value.people.length}
            total={value.total}
            label="More people"
            unit={["person", "people"]}
          />
        </>
      )}
    </section>
  )
}

/** Maximum number of groups named in a row. */
const MOST_NAMED = 4

const PEOPLE: readonly Column<Person>[] = [
  {
    heading: "Person",
    cell: (person) => (
      <>
        <Link to={{ view: "person", person: person.id, as: null }} class="strong">
          {nameOf(person)}
        </Link>
        {person.name !== "" && <p class="small">{person.user}</p>}
      </>
    ),
  },
  { heading: "Role", cell: (person) => <RoleChip of={person} /> },
  {
    heading: "Groups",
    cell: ({ groups }) => {
      const more = groups.length - MOST_NAMED
      return `${groups.slice(0, MOST_NAMED).join(", ") || "–"}${more > 0 ? ` and ${whole(more)} more` : ""}`
    },
  },
  { heading: "Provider", cell: ({ provider }) => provider },
  { heading: "Sign-ins", isNumber: true, cell: ({ sign_ins: many }) => whole(many) },
  { heading: "Last sign-in", cell: ({ last_seen_at: at }) => <Time class="when" at={at} /> },
]

function Groups() {
  const [search, setSearch] = useState("")
  const rows = useFirstRows()
  const wanted = search.trim()
  const query = { limit: rows.limit, ...(wanted !== "" && { search: wanted }) }
  // The count is expensive, because everyone who has signed in is checked: once is enough.
  const polled = useAnswer("GET /admin/groups", { query }, () => null)
  const { value } = polled
  return (
    <section class="block" aria-label="All groups">
      <p class="small">
        Your identity provider reports a person's groups at each sign-in. Groups that appear only as readers
        of sources and pages are listed too: a group without people may be misspelt.
      </p>
      <Filter label="Group name" name="search" value={search} onWrite={setSearch} />
      <PolledStatus of={polled} />
      {value?.total === 0 && (
        <Nothing icon="people" title={wanted === "" ? "No groups yet" : "No matching groups"} />
      )}
      {value !== null && value.total > 0 && (
        <>
          <Table caption="Groups" columns={GROUPS} rows={value.groups} keyOf={({ name }) => name} />
          <More
            rows={rows}
            shown={value.groups.length}
            total={value.total}
            label="More groups"
            unit={["group"]}
          />
        </>
      )}
    </section>
  )
}

const GROUPS: readonly Column<Group>[] = [
  {
    heading: "Group",
    cell: ({ name }) => (
      <Link to={{ view: "person", person: null, as: `group:${name},signed-in` }} class="strong">
        {name}
      </Link>
    ),
  },
  {
    heading: "People",
    isNumber: true,
    cell: ({ name, people }) =>
      people === 0 ? (
        "0"
      ) : (
        <Link to={{ view: "people", shown: "people", group: name }} label={`The people in ${name}`}>
          {whole(people)}
        </Link>
      ),
  },
  {
    heading: "Named as a reader of",
    cell: ({ people, sources }) => (
      <>
        {sources.join(", ") || "–"}
        {people === 0 && (
          <>
            {" "}
            <Chip tone="warn" icon="alert">
              No people
            </Chip>
          </>
        )}
      </>
    ),
  },
]
