import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"

import { Icon } from "../design/icons.tsx"
import { wantedWords } from "../reading/words.ts"
import { Answer } from "./answer.tsx"
import { type Asking, isDoubtful } from "./ask.ts"
import { type Options, versionAt } from "./options.ts"
import { RowOption } from "./row.tsx"
import { firstLink, type Row, rowsOf } from "./rows.ts"
import { useAnswer, useAsked } from "./use-asked.ts"

/**
 * The box and its results: an editable combobox with a list (WAI-ARIA APG, Combobox Pattern) in a modal dialog, which
 * keeps the focus inside and returns it when closed.
 */
export function SearchDialog({
  asking,
  options,
  onClose,
}: {
  readonly asking: Asking
  readonly options: Options
  readonly onClose: () => void
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const close = () => dialog.current?.close()
  const looking = useLooking(asking, options)
  const { rows, active } = looking
  const { list, press } = useRowKeys(looking)

  // Done in the same step, because text typed right after the shortcut that opened the dialog belongs in the box.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    dialog.current?.querySelector("input")?.focus()
  }, [])

  const choose = (row: Row, { ctrlKey, metaKey }: MouseEvent) => {
    if (row.kind === "answer") looking.ask()
    else if (row.kind === "weak") looking.showWeak()
    // Runs after the browser has followed the link; if it opens in another tab, this dialog stays open.
    else if (!ctrlKey && !metaKey) setTimeout(close)
  }
  return (
    <dialog
      ref={dialog}
      aria-label={options.label}
      onClose={onClose}
      // Keeps keys typed here from triggering the page's own shortcuts.
      onKeyDown={(event) => event.stopPropagation()}
      onKeyUp={(event) => event.stopPropagation()}
      onKeyPress={(event) => event.stopPropagation()}
      onMouseDown={(event) => {
        if (event.target === dialog.current) close()
      }}
    >
      <div class="panel">
        <Line id={id} options={options} looking={looking} onPress={press} onClose={close} />
        <div class={looking.asked.isAsking ? "body busy" : "body"}>
          <Notes looking={looking} leadsHere={options.leadsHere} />
          <div
            ref={list}
            id={`${id}-list`}
            role="listbox"
            aria-label="Results"
            class="rows"
            hidden={rows.length === 0}
          >
            {rows.map((row, index) => (
              <RowOption
                key={row.key}
                row={row}
                id={`${id}-${index}`}
                isActive={index === active}
                wanted={looking.wanted}
                leadsHere={options.leadsHere}
                onPoint={() => looking.point(row.key)}
                onChoose={(event) => choose(row, event)}
              />
            ))}
          </div>
          {rows.length === 0 && <Nothing looking={looking} />}
        </div>
        <p class="spoken" role="status">
          {spoken(looking)}
        </p>
        <Keys />
      </div>
    </dialog>
  )
}

type Looking = ReturnType<typeof useLooking>

/** The question in the box, and the results so far. */
function useLooking(asking: Asking, { versions, hasAnswers }: Options) {
  const [text, setText] = useState("")
  const [at, point] = useState<string | null>(null)
  /** The text whose weak matches the user wants to see. */
  const [weakFor, setWeakFor] = useState<string | null>(null)
  const [versionIndex, setVersionIndex] = useState(() => versionAt(versions, location.pathname))
  const version = versions[versionIndex]!
  const typed = text.trim()
  const asked = useAsked(asking, text, version)
  const { answered, ask } = useAnswer(asking, text, version)
  const wanted = useMemo(() => wantedWords(typed), [typed])
  // An answered question isn't offered again, and the citation numbers refer to the pages from which the answer was
  // made.
  const shown = answered?.found
    ? { ...asked, found: answered.found, question: typed, suggestions: [] }
    : asked
  const rows = rowsOf(shown, typed, {
    hasAnswers: hasAnswers && answered === null,
    showsWeak: weakFor === typed,
  })
  const chosen = rows.findIndex(({ key }) => key === at)
  return {
    text,
    typed,
    write: (value: string) => {
      setText(value)
      point(null)
    },
    version,
    versionIndex,
    setVersionIndex,
    asked,
    answered,
    ask,
    wanted,
    rows,
    /** Index of the row that Enter selects. */
    active: chosen >= 0 ? chosen : firstLink(rows),
    point,
    isDegraded: shown.found?.degraded !== undefined,
    isWeak: shown.found !== null && isDoubtful(shown.found) && !asked.isAsking,
    showWeak: () => setWeakFor(typed),
  }
}

/** The keys of the box: arrows move through the rows, Enter selects one. */
function useRowKeys({ rows, active, point }: Looking) {
  const list = useRef<HTMLDivElement>(null)
  const selected = () => list.current?.querySelector('[aria-selected="true"]')
  useEffect(() => {
    selected()?.scrollIntoView({ block: "nearest" })
  }, [active, rows.length])
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      const step = event.key === "ArrowDown" ? 1 : -1
      if (rows.length > 0) point(rows[(active + step + rows.length) % rows.length]!.key)
    } else if (event.key === "Enter") {
      event.preventDefault()
      // Acts like a mouse click, including modifier keys that open another tab.
      const { ctrlKey, metaKey, shiftKey } = event
      const keys = { ctrlKey, metaKey, shiftKey }
      selected()?.dispatchEvent(
        new MouseEvent("click", { bubbles: true, cancelable: true, composed: true, ...keys }),
      )
    }
  }
  return { list, press }
}

/** The box, the versions, and the close button. */
function Line({
  id,
  options: { versions, label },
  looking: { text, write, rows, active, versionIndex, setVersionIndex },
  onPress,
  onClose,
}: {
  readonly id: string
  readonly options: Options
  readonly looking: Looking
  readonly onPress: (event: KeyboardEvent) => void
  readonly onClose: () => void
}) {
  return (
    <div class="line">
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={rows.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={rows.length > 0 ? `${id}-${active}` : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        enterkeyhint="go"
        maxLength={400}
        placeholder={label}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onPress}
      />
      {versions.length > 1 && (
        <select
          aria-label="Version"
          value={versionIndex}
          onChange={(event) => setVersionIndex(Number(event.currentTarget.value))}
        >
          {versions.map((one, index) => (
            <option key={one.label} value={index}>
              {one.label}
            </option>
          ))}
        </select>
      )}
      <button type="button" class="close" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}

/** Shown above the rows: notes on the results, and the answer. */
const Notes = ({
  looking: { isWeak, isDegraded, typed, answered },
  leadsHere,
}: {
  readonly looking: Looking
  readonly leadsHere: boolean
}) => (
  <>
    {isWeak && (
      <p class="hint weak">
        No good match for <b>{typed}</b>. Try other words.
      </p>
    )}
    {isDegraded && (
      <p class="hint degraded">The search is busy or partly unavailable: these results may be incomplete.</p>
    )}
    {answered !== null && <Answer answered={answered} leadsHere={leadsHere} />}
  </>
)

const KEYS = [
  [["↑", "↓"], "choose"],
  [["Enter"], "open"],
  [["Esc"], "close"],
] as const

const Keys = () => (
  <footer aria-hidden="true">
    {KEYS.map(([keys, does]) => (
      <span key={does}>
        {keys.map((one) => (
          <kbd key={one}>{one}</kbd>
        ))}{" "}
        {does}
      </span>
    ))}
    <span class="by">Fossick</span>
  </footer>
)

/** Text for screen readers. */
function spoken({ asked: { isAsking, found }, typed, isWeak }: Looking): string {
  if (isAsking || typed.length < 2) return ""
  return isWeak ? "No good match" : resultsIn(found?.results.length ?? 0)
}

const resultsIn = (count: number): string =>
  count === 0 ? "Nothing found" : count === 1 ? "One result" : `${count} results`

/** The content shown instead of a list. */
function Nothing({ looking }: { readonly looking: Looking }) {
  const { typed, version } = looking
  const { isAsking, problem, found } = looking.asked
  if (problem !== null) {
    return (
      <p class="hint problem" role="alert">
        {problem}
      </p>
    )
  }
  if (typed.length < 2) return <p class="hint">Type a few words, or a question.</p>
  if (isAsking || found === null) return <p class="hint">Searching…</p>
  return (
    <p class="hint">
      No results for <b>{typed}</b>
      {version.folder === "" ? "" : ` in ${version.label}`}. Try other words
      {version.folder === "" ? "" : ", or another version"}.
    </p>
  )
}
