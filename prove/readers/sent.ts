import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ServedAccounts } from "../../api/testing/serve-accounts.ts"
import type { AddPage, GuardedPage, Written } from "./world.ts"

/** The source for documents that a program sends. */
export const SENT = "s6"
/** The source for the files of a folder. */
export const FOLDER = "s7"
/** The address at which the appliance serves the originals of both sources. */
const AT = "http://localhost:8080/files"
const SHARE = "share"

/** The declarations of these sources, without their readers. */
export const ownSources = (dir: string) => [
  { name: SENT, documents: true, seeds: [`${AT}/${SENT}/`] },
  { name: FOLDER, folder: join(dir, SHARE), seeds: [`${AT}/${FOLDER}/`] },
]

/** @param folderNamed returns the word in the name of the share's folder with this number */
export function addSent(add: AddPage, count: number, folderNamed: (at: number) => string): void {
  for (let at = 0; at < count; at++) {
    const sent = add((one) => `${AT}/${SENT}/${one}`, { sources: [SENT], way: "sent" })
    // A document has only one set of readers.
    sent.own = sent.own.slice(0, 1)
    const folder = folderNamed(at)
    add((one) => `${AT}/${FOLDER}/${folder}/${one}.md`, { sources: [FOLDER], way: "file", folder })
  }
}

const markdown = ({ title, proof, text }: GuardedPage, version: number): string =>
  `# ${title}\n\n## Seals of ${proof}\n\n${text} This is version ${version}.\n\n![${proof}](https://images.example.net/${proof}.png)\n`

/** Writes the files, and declares who may read them: for the folder, for the file, or for both. */
export async function writeFiles(dir: string, pages: readonly GuardedPage[], version: number): Promise<void> {
  for (const page of pages.filter(({ way }) => way === "file")) {
    const file = join(dir, SHARE, page.folder, page.url.split("/").at(-1)!)
    const [ofFolder = {}, ofFile] = page.number % 2 === 0 ? page.own : [page.own[1], page.own[0]]
    const readers: Written & { readonly files?: object } = {
      ...ofFolder,
      ...(ofFile && { files: { [file.split("/").at(-1)!]: ofFile } }),
    }
    // oxlint-disable-next-line no-await-in-loop -- a handful
    await mkdir(dirname(file), { recursive: true })
    // oxlint-disable-next-line no-await-in-loop
    await writeFile(join(dirname(file), ".fossick-readers.yaml"), JSON.stringify(readers))
    // oxlint-disable-next-line no-await-in-loop
    await writeFile(file, markdown(page, version))
  }
}

/** Sends the documents, or only their readers. @param key key with the role write */
export async function sendDocuments(
  app: ServedAccounts,
  key: string,
  pages: readonly GuardedPage[],
  { version, isReadersOnly }: { readonly version: number; readonly isReadersOnly: boolean },
): Promise<void> {
  const documents = pages
    .filter(({ way }) => way === "sent")
    .map((page) => ({
      id: page.inAddress,
      readers: page.own[0] ?? null,
      ...(!isReadersOnly && { title: page.title, markdown: markdown(page, version) }),
    }))
  const path = isReadersOnly ? "/documents/readers" : "/documents"
  const { status, body } = await app.call(path, key, { source: SENT, documents })
  if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`)
}
