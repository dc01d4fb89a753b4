import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"

import { Icon } from "../design/icons.tsx"
import { wantedWords } from "../reading/words.ts"
import { Answer } from "./answer.tsx"
import { type Asking, isDoubtful } from "./ask.ts"
import { type Options, versionAt } from "./options.ts"
import { RowOption } from "./row.tsx"
import { firstLink, rowsOf } from "./rows.ts"
import { useAnswer, useAsked } from "./use-asked.ts"

/**
 * The box and what it finds: an editable combobox with a list (WAI-ARIA APG, Combobox Pattern) in a modal dialog, which keeps
 * the focus within and gives it back.
 */
export function SearchDialog({
  asking,
  options: { versions, hasAnswers, leadsHere, label },
  onClose,
}: {
  readonly asking: Asking
  readonly options: Options
  readonly onClose: () => void
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [text, setText] = useState("")
  const [at, setAt] = useState<string | null>(null)
  /** The text whose weak matches somebody wants to see. */
  const [weakFor, setWeakFor] = useState<string | null>(null)
  const [versionIndex, setVersionIndex] = useState(() => versionAt(versions, location.pathname))
  const version = versions[versionIndex]!
  const typed = text.trim()
  const asked = useAsked(asking, text, version)
  const { answered, ask } = useAnswer(asking, text, version)
  const wanted = useMemo(() => wantedWords(typed), [typed])
  // What is answered is not offered again, and its citations count by the pages that it was made of.
  const shown = answered?.found
    ? { ...asked, found: answered.found, question: typed, suggestions: [] }
    : asked
  const showsWeak = weakFor === typed
  const rows = rowsOf(shown, typed, { hasAnswers: hasAnswers && answered === null, showsWeak })
  const isWeak = shown.found !== null && isDoubtful(shown.found) && !asked.isAsking
  const chosen = rows.findIndex(({ key }) => key === at)
  const active = chosen >= 0 ? chosen : firstLink(rows)
  const isShown = rows.length > 0

  // In the same step: what is typed right behind the keys that opened it is meant for it.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    box.current?.focus()
  }, [])
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" })
  }, [active, rows.length])

  const choose = (index: number, { ctrlKey, metaKey }: MouseEvent) => {
    const row = rows[index]
    if (row?.kind === "answer") ask()
    else if (row?.kind === "weak") setWeakFor(typed)
    // After the browser went there; in another tab it goes without this one.
    else if (row && !ctrlKey && !metaKey) setTimeout(() => dialog.current?.close())
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      const step = event.key === "ArrowDown" ? 1 : -1
      if (isShown) setAt(rows[(active + step + rows.length) % rows.length]!.key)
    } else if (event.key === "Enter") {
      event.preventDefault()
      // As a press of the mouse would, with the keys that open another tab.
      const { ctrlKey, metaKey, shiftKey } = event
      list.current?.querySelector('[aria-selected="true"]')?.dispatchEvent(
        new MouseEvent("click", {
          bubbles: true,
          cancelable: true,
          composed: true,
          ctrlKey,
          metaKey,
          shiftKey,
        }),
      )
    }
  }
  const edit = (value: string) => {
    setText(value)
    setAt(null)
  }
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      // The page has keys of its own, which are not meant here.
      onKeyDown={(event) => event.stopPropagation()}
      onKeyUp={(event) => event.stopPropagation()}
      onKeyPress={(event) => event.stopPropagation()}
      onMouseDown={(event) => {
        if (event.target === dialog.current) dialog.current?.close()
      }}
    >
      <div class="panel">
        <div class="line">
          <Icon name="search" />
          <input
            ref={box}
            type="text"
            role="combobox"
            aria-label={label}
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={`${id}-list`}
            aria-activedescendant={isShown ? `${id}-${active}` : undefined}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            enterkeyhint="go"
            maxLength={400}
            placeholder={label}
            value={text}
            onInput={(event) => edit(event.currentTarget.value)}
            onKeyDown={press}
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
          <button type="button" class="close" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        <div class={asked.isAsking ? "body busy" : "body"}>
          {isWeak && (
            <p class="hint weak">
              Nothing fits <b>{typed}</b> well. Try other words.
            </p>
          )}
          {shown.found?.degraded !== undefined && (
            <p class="hint degraded">
              The search is busy or partly out of order: these results may be incomplete.
            </p>
          )}
          {answered !== null && <Answer answered={answered} leadsHere={leadsHere} />}
          <div
            ref={list}
            id={`${id}-list`}
            role="listbox"
            aria-label="Results"
            class="rows"
            hidden={!isShown}
          >
            {rows.map((row, index) => (
              <RowOption
                key={row.key}
                row={row}
                id={`${id}-${index}`}
                isActive={index === active}
                wanted={wanted}
                leadsHere={leadsHere}
                onPoint={() => setAt(row.key)}
                onChoose={(event) => choose(index, event)}
              />
            ))}
          </div>
          {!isShown && (
            <Nothing typed={typed} asked={asked} version={version.folder === "" ? null : version.label} />
          )}
        </div>
        <p class="spoken" role="status">
          {asked.isAsking || typed.length < 2
            ? ""
            : isWeak
              ? "Nothing fits well"
              : resultsIn(asked.found?.results.length ?? 0)}
        </p>
        <footer aria-hidden="true">
          <span>
            <kbd>↑</kbd>
            <kbd>↓</kbd> choose
          </span>
          <span>
            <kbd>Enter</kbd> open
          </span>
          <span>
            <kbd>Esc</kbd> close
          </span>
          <span class="by">Fossick</span>
        </footer>
      </div>
    </dialog>
  )
}

const resultsIn = (count: number): string =>
  count === 0 ? "Nothing found" : count === 1 ? "One result" : `${count} results`

/** What stands in the place of a list. */
function Nothing({
  typed,
  asked: { isAsking, problem, found },
  version,
}: {
  readonly typed: string
  readonly asked: ReturnType<typeof useAsked>
  /** The one that is searched; null: all. */
  readonly version: string | null
}) {
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
      Nothing was found for <b>{typed}</b>
      {version === null ? "" : ` in ${version}`}. Try other words
      {version === null ? "" : ", or another version"}.
    </p>
  )
}
