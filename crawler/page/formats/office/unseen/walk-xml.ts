import { Parser } from "htmlparser2"

export type Attributes = Readonly<Record<string, string>>

/** Walks through a part of an office file; names keep their prefixes. The handlers can ask the parser for the position in the text. */
export function walkXml(
  xml: string,
  start: (name: string, attributes: Attributes, parser: Parser) => void,
  end: (name: string, parser: Parser) => void = () => undefined,
): void {
  const parser: Parser = new Parser(
    {
      onopentag: (name, attributes) => start(name, attributes, parser),
      onclosetag: (name) => end(name, parser),
    },
    { xmlMode: true },
  )
  parser.end(xml)
}
