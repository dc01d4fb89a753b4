import { resolve } from "node:path"
import { bytesText, counted } from "#engine/commands/command-progress.ts"
import { EXIT } from "#base/exit-codes.ts"
import { type FolderSurvey, surveyFolder } from "../../sources/survey/folder/survey-folder.ts"
import { sourceYaml } from "../../sources/file/source-yaml.ts"
import { type AddArguments, withSourcesFile } from "./add-session.ts"
import { offerSource } from "./offer-source.ts"
import { triedInBrief } from "../../sources/survey/survey-wire.ts"
import { pagesText } from "./proposal-text.ts"

const SHOWN_ENDINGS = 12
const SHOWN_TROUBLES = 5

export interface AddFolderArguments extends Pick<AddArguments, "write" | "json"> {
  readonly folder: string
  /** As of {@link surveyFolder}. */
  readonly filesAt: string
}

/** One `fossick sources add` of a folder. @returns the exit code. @throws KnownError when the folder cannot be read; ArgumentsError, SettingsError */
export async function addFolder({ folder, filesAt, ...args }: AddFolderArguments): Promise<number> {
  return await withSourcesFile(async ({ file, config, db, taken, signal }) => {
    const survey = await surveyFolder(resolve(folder), { db, config, filesAt, taken, signal })
    if (signal.aborted) return EXIT.interrupted
    const isWorthwhile = survey.files > 0
    const { source } = survey
    const note = filesText(survey)
    const wire = { ...survey, yaml: sourceYaml(source, note), pages: survey.pages.map(triedInBrief) }
    await offerSource(file, { source, note, text: folderText(survey), wire, isWorthwhile }, args)
    return isWorthwhile ? EXIT.ok : EXIT.failed
  })
}

const filesText = ({ files, bytes }: FolderSurvey): string => `${counted(files, "file")}, ${bytesText(bytes)}`

/** What the look found, for people. */
function folderText(survey: FolderSurvey): string {
  const { folder, endings, tooLarge, troubles, pages } = survey
  const shown = endings
    .slice(0, SHOWN_ENDINGS)
    .map(([ending, count]) => `${ending || "no ending"} ${count.toLocaleString("en")}`)
  const rest = endings.length > SHOWN_ENDINGS ? `, and ${endings.length - SHOWN_ENDINGS} more` : ""
  return [
    folder,
    `  files      ${filesText(survey)}`,
    `  endings    ${shown.join(", ")}${rest}`,
    ...(tooLarge > 0
      ? [`  too large  ${counted(tooLarge, "file")}: FOSSICK_MAX_PAGE_BYTES is the limit`]
      : []),
    ...troubles.slice(0, SHOWN_TROUBLES).map((trouble) => `  unreadable ${trouble}`),
    ...(troubles.length > SHOWN_TROUBLES ? [`  and ${troubles.length - SHOWN_TROUBLES} more`] : []),
    ...pagesText(pages),
    "",
  ].join("\n")
}
