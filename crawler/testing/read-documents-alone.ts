import { createHook } from "node:async_hooks"
import { readDocument } from "../page/formats/read-document.ts"
import { docx, epub, openDocument, pptx, wordParagraph, xlsx } from "./documents.ts"
import { pdf } from "./pdf-file.ts"

// Reads a document of each format and reports which system resources (sockets, processes, lookups) were used in the
// process.

const DOORS = /^(?:TCP|UDP|PIPE|TLS|PROCESS|GETADDRINFO|GETNAMEINFO|QUERY|HTTP|WORKER|MESSAGEPORT$)/
const opened = new Set<string>()
createHook({
  init(_, type) {
    if (DOORS.test(type)) opened.add(type)
  },
}).enable()

const remote = "http://127.0.0.1:9/image.png"
const rtf = String.raw`{\rtf1 {\field{\*\fldinst INCLUDEPICTURE "${remote}"}} words}`
const chapter = `<p>words</p><img src="${remote}"/>`
const documents = [
  ["pdf", pdf([{ texts: [{ x: 72, y: 700, text: "words" }], links: [{ url: remote, rect: [0, 0, 9, 9] }] }])],
  ["docx", docx(wordParagraph("words"), { links: { r1: remote } })],
  ["pptx", pptx([{ title: "words", bullets: ["more"] }])],
  ["xlsx", xlsx({ Sheet1: [["words", `=WEBSERVICE("${remote}")`]] })],
  ["odt", openDocument("text", `<text:p>words</text:p>`)],
  ["rtf", new Uint8Array(Buffer.from(rtf))],
  ["epub", epub([chapter])],
] as const
const read: string[] = []
for (const [format, body] of documents) {
  const { markdown, title } = await readDocument(format, body, "https://x.example/a", 5000)
  if (`${title} ${markdown}`.includes("words")) read.push(format)
}
console.log(JSON.stringify({ read, opened: [...opened] }))
