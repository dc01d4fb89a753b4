import type { TargetedKeyboardEvent, TargetedSubmitEvent } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"

import { Button } from "../design/button.tsx"
import { Icon } from "../design/icons.tsx"
import { useSuggestions } from "./use-suggestions.ts"

const ICONS = { title: "page", heading: "link", query: "search" } as const

/**
 * The box for the question, with suggestions below: an editable combobox with a list (WAI-ARIA APG, Combobox Pattern).
 * Arrow keys move through the list while the focus stays in the box, Enter asks, Escape first closes the list and then
 * empties the box. `/` moves the focus here from anywhere on the page.
 */
export function SearchBox({
  question,
  isHome,
  onAsk,
}: {
  readonly question: string
  /** Before the first question, only the box is shown. */
  readonly isHome: boolean
  readonly onAsk: (question: string) => void
}) {
  const id = useId()
  const input = useFocusBySlash(isHome)
  const { text, at, suggestions, isShown, write, empty, ask, submit, press, close } = useSuggested(
    question,
    onAsk,
  )
  return (
    <form class="search-box" role="search" onSubmit={submit}>
      <div class="line">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Search"
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="search"
          maxLength={4000}
          placeholder="Ask a question or type a name"
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={press}
          onBlur={close}
        />
        {text !== "" && (
          <Button
            look="quiet"
            icon="close"
            label="Clear"
            class="empty"
            onClick={() => {
              empty()
              input.current?.focus()
            }}
          />
        )}
        <Button look="primary" type="submit" class="ask">
          Search
        </Button>
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label="Suggestions" class="suggestions" hidden={!isShown}>
        {suggestions.map((one, index) => (
          <li
            key={`${one.kind} ${one.text}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            // The box keeps the focus; otherwise the list would close before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => ask(one.text)}
          >
            <Icon name={ICONS[one.kind]} />
            <span>{one.text}</span>
          </li>
        ))}
      </ul>
    </form>
  )
}

/** The text of the box, its suggestions, and the index of the chosen one; -1 is the text itself. */
function useSuggested(question: string, onAsk: (question: string) => void) {
  const [text, setText] = useState(question)
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const suggestions = useSuggestions(text, isOpen)
  const isShown = isOpen && suggestions.length > 0

  // Runs before the user can type: an effect after the paint would lose the first letters.
  useLayoutEffect(() => {
    setText(question)
    setOpen(false)
  }, [question])

  const ask = (wanted: string) => {
    setOpen(false)
    setAt(-1)
    if (wanted.trim() === "") return
    setText(wanted)
    onAsk(wanted.trim())
  }
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    ask(suggestions[isShown ? at : -1]?.text ?? text)
  }
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      if (!isShown) {
        setOpen(true)
        return
      }
      const places = suggestions.length + 1
      // One more position, for the text itself.
      setAt(((at + 1 + (event.key === "ArrowDown" ? 1 : -1) + places) % places) - 1)
    } else if (event.key === "Escape") {
      event.preventDefault()
      if (isShown) setOpen(false)
      else setText("")
      setAt(-1)
    }
  }
  return {
    text,
    at,
    suggestions,
    isShown,
    write: (written: string) => {
      setText(written)
      setOpen(true)
      setAt(-1)
    },
    empty: () => setText(""),
    ask,
    submit,
    press,
    close: () => setOpen(false),
  }
}

/** Focuses the box when the home page opens, and when `/` is pressed anywhere on the page. */
function useFocusBySlash(isHome: boolean) {
  const input = useRef<HTMLInputElement>(null)
  // Runs before the user can type: an effect after the paint would miss the first letters.
  useLayoutEffect(() => {
    if (isHome) input.current?.focus()
    const find = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    addEventListener("keydown", find)
    return () => removeEventListener("keydown", find)
  }, [isHome])
  return input
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
