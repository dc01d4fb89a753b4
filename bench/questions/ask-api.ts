/** The key of the appliances that benches start. */
const KEY = "key-of-the-benches"

/** Headers of a request to an appliance with this key. */
export const ASK_HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" }

/** Settings of an appliance, or of its API process, that {@link askApi} can ask. */
export const askable = (dataDir: string, port: number) => ({
  FOSSICK_DATA_DIR: dataDir,
  FOSSICK_PORT: String(port),
  FOSSICK_API_KEY: KEY,
})

/** Posts to `/search`. @returns the text of the answer @throws Error unless the status is 2xx */
export async function askApi(url: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await fetch(`${url}/search`, {
    method: "POST",
    headers: ASK_HEADERS,
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status}: ${text.slice(0, 200)}`)
  return text
}
