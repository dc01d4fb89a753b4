import type { RequestListener } from "node:http"

/** A manual of a few pages. The test can remove pages from it and add others. */
export class Manual {
  readonly texts = new Map<string, string>()

  readonly #missing: number

  /** @param missing the HTTP status for pages that do not exist */
  constructor(subjects: readonly string[], missing = 404) {
    this.#missing = missing
    for (const subject of subjects) this.write(subject, 1)
  }

  write(subject: string, edition: number): void {
    const said = ["How to clean it", "How to store it", "What it is made of"].map(
      (part, at) =>
        `<h2>${part}</h2><p>${"For the EDITION edition, the PART of the SUBJECT takes care and NUMBER minutes. "
          .replace("EDITION", String(edition))
          .replace("PART", part.toLowerCase())
          .replace("SUBJECT", subject)
          .replace(
            "NUMBER",
            String(subject.length * (at + 3) + edition),
          )}The ${subject} has its own way: ${Array.from(subject, (letter) => `${letter}${letter}${at}`).join(" ")}.</p>`,
    )
    this.texts.set(`/${subject}`, `<h1>The ${subject}</h1>${said.join("")}`)
  }

  readonly serve: RequestListener = (request, response) => {
    const items = [...this.texts.keys()].map((path) => `<li><a href="${path}">${path.slice(1)}</a></li>`)
    const front = `<h1>Manual</h1><p>All that we keep in the workshop, by its name.</p><ul>${items.join("")}</ul>`
    const text = request.url === "/" ? front : this.texts.get(request.url ?? "")
    const title = /<h1>(.*?)<\/h1>/.exec(text ?? "")?.[1] ?? ""
    response.writeHead(text === undefined ? this.#missing : 200, {
      "content-type": "text/html; charset=utf-8",
    })
    response.end(`<html lang="en"><title>${title}</title><body>${text ?? "<p>gone</p>"}</body></html>`)
  }
}
