import { createServer } from "node:http"

// A small site for the smoke test, served by a container beside the appliance. The last page is made by a script,
// as only a browser reads it.

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
     <ul><li><a href="/lens">The lens</a></li><li><a href="/foghorn">The foghorn</a></li><li><a href="/tides">Tides</a></li></ul>`,
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

const server = createServer((request, response) => {
  const path = request.url ?? "/"
  const body = PAGES[path]
  if (path === "/tides.json") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text: TIDES }))
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
