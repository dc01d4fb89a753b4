import { useState } from "preact/hooks"

import type { Rule } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Icon } from "../../design/icons.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { Confirm } from "../confirm.tsx"
import { Link } from "../link.tsx"
import { Head, Nothing } from "../parts.tsx"
import { type Place, RULE_KINDS, type RuleKind } from "../place.ts"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"
import { counted } from "../words.ts"
import { BeforeAfter } from "./before-after.tsx"
import { inWords, KIND_NAMES } from "./rule-draft.ts"

const GROUPS: Readonly<Record<RuleKind, string>> = { synonym: "Synonyms", pin: "Pins", boost: "Boosts" }

const placeOfNew = (kind: RuleKind): Place => ({ view: "rule", id: null, kind, question: null, url: null })
const placeOfRule = ({ id, kind }: Rule): Place => ({ view: "rule", id, kind, question: null, url: null })

/** Synonyms, pins and boosts: the operator's changes to the ranking. */
export function Rules() {
  const [removed, setRemoved] = useState<Rule | null>(null)
  const polled = useAnswer("GET /admin/rules")
  const { value, refresh } = polled
  const actions = useActions(refresh)
  const remove = ({ id }: Rule) =>
    void actions.act(`${id} has been removed and no longer applies`, "DELETE /admin/rules/{id}", {
      path: { id },
    })
  return (
    <>
      <Head title="Rules" page="Rules" under={value !== null && counted(value.rules.length, "rule")}>
        {RULE_KINDS.map((kind) => (
          <Link key={kind} to={placeOfNew(kind)} class="button">
            <Icon name="plus" />
            {KIND_NAMES[kind]}
          </Link>
        ))}
      </Head>
      <PolledStatus of={polled} actions={actions} />
      {value !== null && value.rules.length === 0 && (
        <Nothing icon="filter" title="No rules yet">
          <p>
            A synonym makes words find the same pages, a pin puts a page at a fixed position, and a boost
            raises or lowers pages. Before you save a rule, you see what it would change. The rule applies
            starting with the next question.
          </p>
          <p class="row">
            <Link to={placeOfNew("synonym")} class="button primary">
              <Icon name="plus" />
              Add a synonym
            </Link>
            <a class="button" href="docs/ranking#synonyms-pins-and-boosts">
              About rules
            </a>
          </p>
        </Nothing>
      )}
      {value !== null &&
        RULE_KINDS.map((kind) => {
          const rules = value.rules.filter((rule) => rule.kind === kind)
          if (rules.length === 0) return null
          return (
            <div key={kind} class="block">
              <h2>{GROUPS[kind]}</h2>
              <Table
                caption={GROUPS[kind]}
                columns={columnsOf(kind, actions, setRemoved)}
                rows={rules}
                keyOf={({ id }) => id}
              />
            </div>
          )
        })}
      {removed !== null && (
        <Confirm
          title={`Remove ${KIND_NAMES[removed.kind].toLowerCase()} ${removed.id}?`}
          yes="Remove it"
          no="Keep it"
          onYes={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>{inWords(removed)}</p>
          <BeforeAfter
            change={{ rules: [], without: [removed.id] }}
            questions={removed.kind === "pin" ? removed.questions.slice(0, MOST_TRIED) : []}
          />
        </Confirm>
      )}
    </>
  )
}

function columnsOf(
  kind: RuleKind,
  { isBusy }: Actions,
  onRemove: (rule: Rule) => void,
): readonly Column<Rule>[] {
  const more: Readonly<Record<RuleKind, readonly Column<Rule>[]>> = {
    synonym: [],
    pin: [{ heading: "Page", cell: (rule) => <Pinned rule={rule} /> }],
    boost: [
      { heading: "Factor", isNumber: true, cell: (rule) => rule.kind === "boost" && `× ${rule.factor}` },
    ],
  }
  return [
    {
      heading: kind === "pin" ? "For" : "What it does",
      cell: (rule) => <Link to={placeOfRule(rule)}>{inWords(rule)}</Link>,
    },
    ...more[kind],
    { heading: "Id", cell: ({ id }) => <code class="when">{id}</code> },
    {
      heading: <span class="unseen">Remove</span>,
      cell: (rule) => (
        <span class="todo">
          <Button
            look="quiet"
            icon="trash"
            label={`Remove ${rule.id}`}
            disabled={isBusy}
            onClick={() => onRemove(rule)}
          />
        </span>
      ),
    },
  ]
}

/** Maximum number of questions of a pin to try before it is removed. */
const MOST_TRIED = 10

function Pinned({ rule }: { readonly rule: Rule }) {
  if (rule.kind !== "pin") return null
  return (
    <span class="wide">
      {rule.position ?? 1}. <PageLink to={rule.url}>{rule.url}</PageLink>
    </span>
  )
}
