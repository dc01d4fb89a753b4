import { createServer } from "node:http"

// A small site for the smoke test, served by a container next to the appliance. The last page is built by a script, so
// only a browser can read it; the document is a PDF.

const PORT = 80

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`

const paragraph = (sentence: string): string => `<p>${sentence} ${FILLER}</p>`
const FILLER =
  "Whoever keeps the light reads this page before the season begins, and again whenever something in the tower was changed."

const PAGES: Readonly<Record<string, string>> = {
  "/": page(
    "The lighthouse keeper's manual",
    `${paragraph("This manual is for the keepers of the light.")}
     <ul><li><a href="/lens">The lens</a></li><li><a href="/foghorn">The foghorn</a></li><li><a href="/tides">Tides</a></li>
     <li><a href="/rules.pdf">Rules</a></li></ul>`,
  ),
  "/lens": page(
    "How to clean the lens",
    paragraph(
      "To clean the lens, wait until it is cold, and wipe each prism with vinegar and a linen cloth.",
    ),
  ),
  "/foghorn": page(
    "When to sound the foghorn",
    paragraph("Sound the foghorn as soon as the harbour wall cannot be seen from the gallery."),
  ),
  "/tides": `<!doctype html><html lang="en"><head><title>Tides</title></head><body><div id="root"></div><script>
    fetch("/tides.json").then((answer) => answer.json()).then(({ text }) => {
      document.querySelector("#root").innerHTML = "<main><h1>Tides</h1><p>" + text + "</p></main>"
    })
  </script></body></html>`,
}
const TIDES = `At spring tide the causeway to the lighthouse is under water for four hours, so bring provisions before noon. ${FILLER}`

/** A one-page PDF (ISO 32000-1 §7.5), with a line of text for each sentence. */
function pdf(sentences: readonly string[]): Buffer {
  const shown = sentences.map((sentence, at) => `BT /F 11 Tf 72 ${700 - 14 * at} Td (${sentence}) Tj ET`)
  const content = shown.join("\n")
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ]
  let file = "%PDF-1.7\n"
  let table = "0000000000 65535 f \n"
  for (const [at, object] of objects.entries()) {
    table += `${String(file.length).padStart(10, "0")} 00000 n \n`
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
  }
  const size = objects.length + 1
  return Buffer.from(
    `${file}xref\n0 ${size}\n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    "latin1",
  )
}
const RULES = pdf([
  "Rules of the station",
  "The paraffin is kept in the stone shed, forty paces from the tower.",
  "No keeper takes a lamp or a pipe into the stone shed.",
  "The log is written at the end of every watch, in ink.",
])

const server = createServer((request, response) => {
  const path = request.url ?? "/"
  const body = PAGES[path]
  if (path === "/tides.json") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text: TIDES }))
  } else if (path === "/rules.pdf") {
    response.writeHead(200, { "content-type": "application/pdf" }).end(RULES)
  } else if (body !== undefined) {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body)
  } else {
    response.writeHead(404).end()
  }
}).listen(PORT)

process.on("SIGTERM", () => {
  server.closeAllConnections()
  server.close()
})
