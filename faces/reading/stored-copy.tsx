import { useEffect, useMemo, useRef, useState } from "preact/hooks"

import type { AnswerOf } from "../../api/client/client.ts"
import { Button } from "../design/button.tsx"
import { Dialog } from "../design/dialog.tsx"
import { Progress } from "../design/progress.tsx"
import { appliance, inWords } from "../session/appliance.ts"
import { onDay, since } from "./dates.ts"
import { findPassage } from "./find-passage.ts"
import { PageLink } from "./page-link.tsx"
import { Block, blocksOf, levelsOf, textOf } from "./markdown.tsx"

type StoredPage = AnswerOf<"GET /pages">

/** Number of characters loaded at a time: a long chapter. */
const STRETCH_CHARS = 100_000

/** A page as stored in the index, with the passage marked, and when it was read. */
export function StoredCopy({
  url,
  passage,
  onClose,
}: {
  readonly url: string
  /** Words to mark on the page; empty to mark none. */
  readonly passage: string
  readonly onClose: () => void
}) {
  const { page, content, isLoading, problem, loadMore } = useStoredPage(url)
  return (
    <Dialog
      title={page === null ? "Stored copy" : page.title || page.url}
      under={
        <p class="copy-facts">
          {page && (
            <>
              Crawled on <time dateTime={page.crawled_at}>{onDay(page.crawled_at)}</time>, last checked{" "}
              <time dateTime={page.checked_at}>{since(page.checked_at)}</time>
              {" · "}
            </>
          )}
          <PageLink to={page?.url ?? url} isApart>
            Open the original page
          </PageLink>
        </p>
      }
      onClose={onClose}
    >
      {problem !== null && <p role="alert">{problem}</p>}
      {page && <Text content={content} base={page.url} passage={passage} />}
      {isLoading && <Progress label="Loading the page" />}
      {page !== null && page.next_offset !== null && !isLoading && (
        <Button icon="down" onClick={loadMore}>
          Read on
        </Button>
      )}
    </Dialog>
  )
}

function Text({
  content,
  base,
  passage,
}: {
  readonly content: string
  readonly base: string
  readonly passage: string
}) {
  const blocks = useMemo(() => blocksOf(content), [content])
  const levels = useMemo(() => levelsOf(blocks), [blocks])
  const marked = useMemo(() => findPassage(blocks.map(textOf), passage), [blocks, passage])
  const first = useRef<HTMLDivElement>(null)
  const at = Math.min(...marked)
  useEffect(() => first.current?.scrollIntoView({ block: "center" }), [at])
  return (
    <div class="reading">
      {blocks.map((token, index) =>
        marked.has(index) ? (
          <div key={index} class="passage" ref={index === at ? first : null}>
            {index === at && <span class="unseen">The passage that was found: </span>}
            <Block token={token} base={base} level={levels[index]} />
          </div>
        ) : (
          <Block key={index} token={token} base={base} level={levels[index]} />
        ),
      )}
    </div>
  )
}

/** The stored page, loaded piece by piece. */
function useStoredPage(url: string) {
  const [page, setPage] = useState<StoredPage | null>(null)
  const [content, setContent] = useState("")
  const [problem, setProblem] = useState<string | null>(null)
  const [isLoading, setLoading] = useState(true)
  const load = async (offset: number, signal?: AbortSignal) => {
    setLoading(true)
    try {
      const query = { url, offset, limit: STRETCH_CHARS }
      const next = await appliance.call("GET /pages", { query, signal })
      setPage(next)
      setContent((before) => (offset === 0 ? next.content : before + next.content))
      setLoading(false)
    } catch (error) {
      if (signal?.aborted === true) return
      setProblem(inWords(error))
      setLoading(false)
    }
  }
  useEffect(() => {
    const given = new AbortController()
    setPage(null)
    setProblem(null)
    void load(0, given.signal)
    return () => given.abort()
  }, [url])
  return { page, content, isLoading, problem, loadMore: () => void load(page?.next_offset ?? 0) }
}
