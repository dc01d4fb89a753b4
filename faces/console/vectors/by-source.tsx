import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Progress } from "../../design/progress.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { Block, Nothing } from "../parts.tsx"
import type { Actions } from "../asking/use-actions.ts"
import { share, whole } from "../words.ts"

type Entry = AnswerOf<"GET /admin/sources">["sources"][number]

const waiting = ({ pages, pages_with_vectors: having }: Entry): number | null =>
  having === null ? null : Math.max(0, pages - having)

/** Each source, those with the longest queues on top, and which of them is processed first. */
export function BySource({
  sources,
  first,
  actions: { isBusy, act },
}: {
  readonly sources: readonly Entry[]
  readonly first: string | null
  readonly actions: Actions
}) {
  const put = (source: string | null) =>
    act(
      source === null ? "No source goes first any more" : `${source} goes first`,
      "POST /admin/vectors/first",
      {
        body: source === null ? {} : { source },
      },
    )
  const columns: readonly Column<Entry>[] = [
    {
      heading: "Source",
      cell: ({ name }) => (
        <>
          <span class="strong">{name}</span> {name === first && <Chip tone="accent">goes first</Chip>}
        </>
      ),
    },
    { heading: "Pages", isNumber: true, cell: ({ pages }) => whole(pages) },
    {
      heading: "Waiting",
      isNumber: true,
      cell: (entry) => {
        const count = waiting(entry)
        return count === null ? "–" : whole(count)
      },
    },
    {
      heading: "Vectors",
      cell: ({ name, pages, pages_with_vectors: having }) =>
        having === null || pages === 0 ? (
          "–"
        ) : (
          <span class="vector-share">
            <Progress label={`Pages of ${name} with vectors`} value={having} max={pages} />
            {share(having, pages)}
          </span>
        ),
    },
    {
      heading: <span class="unseen">Put first</span>,
      cell: ({ name }) =>
        name === first ? (
          <Button label={`Don't put first: ${name}`} disabled={isBusy} onClick={() => void put(null)}>
            Don't put first
          </Button>
        ) : (
          <Button icon="up" label={`Put ${name} first`} disabled={isBusy} onClick={() => void put(name)}>
            First
          </Button>
        ),
    },
  ]
  const rows = sources.toSorted((a, b) => (waiting(b) ?? 0) - (waiting(a) ?? 0))
  return (
    <Block id="by-source" title="By source">
      {rows.length === 0 ? (
        <Nothing icon="globe" title="No sources yet" />
      ) : (
        <Table caption="Vectors by source" columns={columns} rows={rows} keyOf={({ name }) => name} />
      )}
    </Block>
  )
}
