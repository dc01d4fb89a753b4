import { bytesText, counted } from "#engine/commands/command-progress.ts"
import { EXIT } from "#base/exit-codes.ts"
import type { RecognizedStart } from "../../fetch/content/content.ts"
import { type ContentSurvey, surveyContent } from "../../sources/survey/content/survey-content.ts"
import { sourceYaml } from "../../sources/file/source-yaml.ts"
import { type AddArguments, withSourcesFile } from "./add-session.ts"
import { offerSource } from "./offer-source.ts"
import { triedInBrief } from "../../sources/survey/survey-wire.ts"
import { pagesText } from "./proposal-text.ts"

const SHOWN_ENDINGS = 12
const SHOWN_TROUBLES = 5

export interface AddContentArguments extends Pick<AddArguments, "write" | "json"> {
  readonly start: RecognizedStart
  /** See {@link surveyContent}. */
  readonly filesAt: string
}

/**
 * One `fossick sources add` for content that is not a website.
 * @returns the exit code
 * @throws KnownError when the content cannot be read; ArgumentsError, SettingsError
 */
export async function addContent({ start, filesAt, ...args }: AddContentArguments): Promise<number> {
  return await withSourcesFile(async ({ file, config, db, taken, signal }) => {
    const survey = await surveyContent(start, { db, config, filesAt, taken, signal })
    if (signal.aborted) return EXIT.interrupted
    const isWorthwhile = survey.count > 0
    const { source } = survey
    const note = countText(survey)
    const wire = { ...survey, yaml: sourceYaml(source, note), pages: survey.pages.map(triedInBrief) }
    await offerSource(file, { source, note, text: surveyText(survey), wire, isWorthwhile }, args)
    return isWorthwhile ? EXIT.ok : EXIT.failed
  })
}

const countText = ({ count, noun, bytes }: ContentSurvey): string =>
  `${counted(count, noun)}${bytes > 0 ? `, ${bytesText(bytes)}` : ""}`

/** The findings as text. */
function surveyText(survey: ContentSurvey): string {
  const { place, noun, endings, tooLarge, troubles, pages } = survey
  const shown = endings
    .slice(0, SHOWN_ENDINGS)
    .map(([ending, count]) => `${ending || "no extension"} ${count.toLocaleString("en")}`)
  const rest = endings.length > SHOWN_ENDINGS ? `, and ${endings.length - SHOWN_ENDINGS} more` : ""
  return [
    place,
    `  ${`${noun}s`.padEnd(11)}${countText(survey)}`,
    `  extensions ${shown.join(", ")}${rest}`,
    ...(tooLarge > 0 ? [`  too large  ${counted(tooLarge, noun)}: larger than FOSSICK_MAX_PAGE_BYTES`] : []),
    ...troubles.slice(0, SHOWN_TROUBLES).map((trouble) => `  unreadable ${trouble}`),
    ...(troubles.length > SHOWN_TROUBLES ? [`  and ${troubles.length - SHOWN_TROUBLES} more`] : []),
    ...pagesText(pages),
    "",
  ].join("\n")
}
