import { createHash } from "node:crypto"

import type { Marks } from "./marks.ts"

const CALLBACK = "http://127.0.0.1:9/callback"

/**
 * A program that is granted access through OAuth with a key, uses its tokens, refreshes them, and presents the invalid
 * ones again.
 * @returns whether each step ended as it should
 */
export async function useOAuth(url: string, key: string, marks: Marks): Promise<boolean> {
  const verifier = marks.of("verifier of a program").replaceAll(/[^\w.~-]/g, "-")
  marks.add("verifier of a program", verifier)
  const registered = await post(`${url}/register`, {
    client_name: "Program",
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: "none",
  })
  const { client_id: client } = (await registered.json()) as { client_id: string }
  const page = new URL(`${url}/authorize`)
  page.search = new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: CALLBACK,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "any",
  }).toString()
  const shown = await fetch(page)
  const html = await shown.text()
  const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? ""
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? ""
  const answered = await fetch(new URL(action, page), {
    method: "POST",
    redirect: "manual",
    headers: { Origin: page.origin, Cookie: shown.headers.get("set-cookie")?.split(";")[0] ?? "" },
    body: new URLSearchParams({ ticket, answer: "allow", key }),
  })
  const back = URL.parse(answered.headers.get("location") ?? "")
  const code = back?.searchParams.get("code") ?? ""
  if (code === "") return false
  marks.add("code of a program", code)
  const token = (form: Readonly<Record<string, string>>) =>
    fetch(`${url}/token`, { method: "POST", body: new URLSearchParams({ client_id: client, ...form }) })
  const exchange = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: CALLBACK }
  const first = await kept(await token(exchange), "first")
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "program", version: "1" },
    },
  }
  const used = await post(`${url}/mcp`, initialize, first.access_token)
  await used.body?.cancel()
  const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token }
  const second = await kept(await token(refresh), "second")
  const again = await post(`${url}/mcp`, initialize, second.access_token)
  await again.body?.cancel()
  // Tokens that are no longer valid, presented as by a thief who got hold of them.
  const stolen = [
    await token(exchange),
    await token(refresh),
    await token({ ...refresh, client_id: "other" }),
  ]
  await Promise.all(stolen.map((one) => one.text()))
  return [used, again].every(({ status }) => status === 200) && stolen.every(({ status }) => status >= 400)

  async function kept(
    response: Response,
    which: string,
  ): Promise<{ access_token: string; refresh_token: string }> {
    const tokens = (await response.json()) as { access_token: string; refresh_token: string }
    marks.add(`${which} access token`, tokens.access_token)
    marks.add(`${which} refresh token`, tokens.refresh_token)
    return tokens
  }
}

const post = (url: string, body: object, token = ""): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== "" && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
