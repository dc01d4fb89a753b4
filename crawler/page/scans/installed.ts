import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A folder in the data folder, which an upgrade of the appliance does not touch. */
const FOLDER = "recognition"
/** Packages that recognise text: an engine, and a renderer for PDF pages. */
const ENGINE = { name: "tesseract.js-core", version: "7.0.0" }
const PAINTER = { name: "@hyzyla/pdfium", version: "2.1.13" }
/** The npm scope of the packages with language data, each named by its Tesseract code. */
const LANGUAGES = "@tesseract.js-data"
const TRAINED = /\.traineddata$/

/** The installed packages that recognise text. */
export interface Recognition {
  /** The engine's version and the languages, since another installation might recognise the text differently. */
  readonly name: string
  /** Modules. */
  readonly engine: string
  readonly painter: string
  /** Files of trained data, keyed by Tesseract's language code, such as `eng` or `chi_sim`; gzipped or not. */
  readonly languages: ReadonlyMap<string, string>
}

/** The folder for these packages in the data folder. */
export const recognitionFolder = (dataDir: string): string => join(dataDir, FOLDER)

/**
 * The packages that npm installed in a folder, with at least one language; null if any of them is missing. Files named
 * `<language>.traineddata` in the folder itself are used too, because other packagers provide them.
 */
export function findRecognition(folder: string): Recognition | null {
  const modules = join(folder, "node_modules")
  const engine = join(modules, ENGINE.name, "tesseract-core-relaxedsimd-lstm.js")
  const painter = join(modules, PAINTER.name, "dist/index.esm.js")
  if (!existsSync(engine) || !existsSync(painter)) return null
  const languages = new Map<string, string>()
  for (const language of namesIn(join(modules, LANGUAGES))) {
    // A package contains two sets of data; this one is trained for accuracy.
    const file = join(modules, LANGUAGES, language, "4.0.0_best_int", `${language}.traineddata.gz`)
    if (existsSync(file)) languages.set(language, file)
  }
  for (const name of namesIn(folder).filter((one) => TRAINED.test(one)))
    languages.set(name.replace(TRAINED, ""), join(folder, name))
  if (languages.size === 0) return null
  const version = versionOf(join(modules, ENGINE.name))
  return { name: [`Tesseract ${version}`, ...languages.keys()].join(" "), engine, painter, languages }
}

/** The command that installs text recognition for a language, from any working folder. */
export function installCommand(dataDir: string, language = "eng"): string {
  const packages = [ENGINE, PAINTER].map(({ name, version }) => `${name}@${version}`)
  return `npm install --prefix ${recognitionFolder(dataDir)} ${packages.join(" ")} ${LANGUAGES}/${language}`
}

/** Names of the files and folders in a folder, sorted; empty if there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : []
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version
}
