import { stretchesOf } from "./words.ts"

/** Text from a page, shown as plain text, with the words searched for in gold. */
export function MarkedText({
  text,
  wanted,
}: {
  readonly text: string
  readonly wanted: ReadonlySet<string>
}) {
  return (
    <>
      {stretchesOf(text, wanted).map((one, index) =>
        one.isWanted ? <mark key={index}>{one.text}</mark> : <span key={index}>{one.text}</span>,
      )}
    </>
  )
}
