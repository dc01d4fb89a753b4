import { toPlainText } from "#crawler/page/extract/markdown/plain-text.ts"
import type { Page } from "#engine"
import type { Fact } from "../../questions/judged/judged-question.ts"

/** Text normalised for comparing wordings: without marks, with straight quotes, single blanks and lower-case letters. */
export const plain = (text: string): string =>
  text
    .replaceAll(/[`*]/g, "")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/\s*\|\s*/g, " ")
    .replaceAll(/\s+/g, " ")
    .toLowerCase()

/** Whether text contains one of the wordings, in which `…` stands for up to a hundred characters. */
export function says(text: string, { says: wordings }: Pick<Fact, "says">): boolean {
  const read = plain(text)
  return wordings.some((wording) => patternOf(wording).test(read))
}

const patternOf = (wording: string): RegExp =>
  new RegExp(plain(wording).split("…").map(escaped).join(".{0,100}?"), "u")

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/**
 * Errors in facts: pages that are missing or have none of the wordings, and wordings that no page has.
 *
 * @param pages pages by their paths
 */
export function faultsOf(facts: readonly Fact[], pages: ReadonlyMap<string, Page>): string[] {
  const texts = new Map<string, string>()
  const textOf = (path: string) => {
    const page = pages.get(path)
    if (page && !texts.has(path)) texts.set(path, toPlainText(page.markdown))
    return texts.get(path) ?? ""
  }
  return facts.flatMap((fact) => [
    ...fact.on
      .filter((path) => !says(textOf(path), fact))
      .map(
        (path) => `${path} ${pages.has(path) ? "says none of" : "is missing, for"}: ${fact.says.join(" / ")}`,
      ),
    ...fact.says
      .filter((wording) => !fact.on.some((path) => says(textOf(path), { says: [wording] })))
      .map((wording) => `none of ${fact.on.join(", ")} says: ${wording}`),
  ])
}
