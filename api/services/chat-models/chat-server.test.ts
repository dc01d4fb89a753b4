import { describe, expect, test } from "vitest"

import { pause } from "#base/flow/pause.ts"
import { readSettings } from "#base/settings.ts"
import { until } from "#base/testing/until.ts"

import type { ReplyForm, ReplyOptions } from "./chat-model.ts"
import { ChatServer } from "./chat-server.ts"
import { chatModelSettings, checkChatModel } from "./settings.ts"
import { type ChatRuntime, type RuntimeName, startChatRuntime } from "./testing/chat-runtime.ts"
import { tryModel } from "./try-model.ts"

// The runtimes are scripted to answer like the real ones; the sockets are real.

const RUNTIMES: readonly RuntimeName[] = ["ollama", "vllm", "lmStudio", "llamaCpp", "hosted"]

function open({ url }: Pick<ChatRuntime, "url">, env: Record<string, string> = {}): ChatServer {
  return new ChatServer(
    readSettings(chatModelSettings, { FOSSICK_LLM_URL: url, FOSSICK_LLM_MODEL: "qwen3", ...env }),
  )
}

const ask = (model: ChatServer, options: Partial<ReplyOptions> = {}, content = "How much water?") =>
  model.reply(
    () => [
      { role: "system", content: "Be brief." },
      { role: "user", content },
    ],
    {
      maxTokens: 50,
      signal: new AbortController().signal,
      ...options,
    },
  )

const FORM: ReplyForm = {
  name: "litres",
  schema: { type: "object", properties: { litres: { type: "integer" } }, required: ["litres"] },
}

describe.each(RUNTIMES)("a model on %s", (name) => {
  test("answers, and its reasoning is left out", async () => {
    await using runtime = await startChatRuntime(name, {
      says: () => ({ text: "It moves 40 litres. [1]", reasoning: "The user asks about 90 litres." }),
    })
    await using model = open(runtime)
    expect(await ask(model)).toEqual({ text: "It moves 40 litres. [1]", isCut: false })
  })

  test("is streamed as its answer grows", async () => {
    const seen: string[] = []
    await using runtime = await startChatRuntime(name, {
      says: () => ({ text: "One sentence. Another one. The end.", reasoning: "Hm. Well. So." }),
      // The model continues when its first sentence has been read.
      afterWord: async (word) => {
        if (!word.startsWith("sentence")) return
        await until(async () => seen.includes("One sentence."))
      },
    })
    await using model = open(runtime)
    const { text } = await ask(model, { onText: (so) => void seen.push(so) })
    expect(runtime.lastBody()).toMatchObject({ stream: true })
    for (const one of seen) expect(text.startsWith(one)).toBe(true)
  })

  test("respects the token limit, under whatever name its server uses", async () => {
    await using runtime = await startChatRuntime(name, { says: () => "word ".repeat(500) })
    await using model = open(runtime)
    const { text, isCut } = await ask(model, { maxTokens: 20 })
    expect(text.split(" ")).toHaveLength(20)
    expect(isCut).toBe(true)
    const asked = runtime.requests.length
    await ask(model, { maxTokens: 20 })
    expect(runtime.requests).toHaveLength(asked + 1)
  })

  test("follows a form", async () => {
    await using runtime = await startChatRuntime(name, { says: () => '{"litres": 40}' })
    await using model = open(runtime)
    expect(await ask(model, { form: FORM })).toMatchObject({ text: '{"litres": 40}' })
    expect(runtime.lastBody()).toMatchObject({
      response_format: { type: "json_schema", json_schema: { name: "litres", schema: FORM.schema } },
    })
  })

  test("is described in one line that lists what works", async () => {
    await using runtime = await startChatRuntime(name, {
      says: ({ body }) => (body["response_format"] === undefined ? "ready" : '{"ready": true}'),
      context: 6000,
    })
    await using model = open(runtime)
    const line = await tryModel(model, "qwen3", new AbortController().signal)
    const context = name === "hosted" ? "8,192 tokens (assumed)" : "6,000 tokens (reported)"
    expect(line).toMatch(/^qwen3 answered in [\d.]+ s: it streams, follows a JSON schema and reads /)
    expect(line).toContain(context)
    expect(line).not.toContain("\n")
  })
})

describe("the context size", () => {
  const rooms = async (runtime: ChatRuntime, env = {}) => {
    await using model = open(runtime, env)
    const seen: number[] = []
    const prompt = (room: number) => {
      seen.push(room)
      return [{ role: "user" as const, content: "word ".repeat(room) }]
    }
    await model.reply(prompt, { maxTokens: 100, signal: new AbortController().signal })
    return seen
  }

  test("from the settings takes precedence over the server's", async () => {
    await using runtime = await startChatRuntime("vllm", { says: () => "ok", context: 9000 })
    const [room] = await rooms(runtime, { FOSSICK_LLM_CONTEXT_TOKENS: "2000" })
    expect(room).toBe(2000 - 100 - 200)
  })

  test.each(["vllm", "llamaCpp"] as const)(
    "of %s that is smaller than expected is learned from the refusal",
    async (name) => {
      await using runtime = await startChatRuntime(name, { says: () => "ok", context: 1000 })
      const seen = await rooms(runtime, { FOSSICK_LLM_CONTEXT_TOKENS: "5000" })
      expect(seen).toEqual([4700, 700])
    },
  )
})

describe("a server that rejects", () => {
  const refusing = (pattern: RegExp, message: string, status = 400) =>
    startChatRuntime("vllm", {
      says: () => "ok",
      instead: ({ body }, response) => {
        if (!pattern.test(JSON.stringify(body))) return false
        response.writeHead(status).end(JSON.stringify({ error: { message } }))
        return true
      },
    })

  test.each([
    ["schemas", /json_schema/, "json_schema is not supported", "json_object"],
    ["all forms, in words of its own", /response_format/, "I do not understand", undefined],
    ["grammars, as if it had failed", /json_schema/, "failed to parse grammar", "json_object"],
  ])("%s gets a request without them", async (what, pattern, message, left) => {
    await using runtime = await refusing(pattern, message, what.includes("failed") ? 500 : 400)
    await using model = open(runtime)
    await ask(model, { form: FORM })
    const format = runtime.lastBody()["response_format"] as { type: string } | undefined
    expect(format?.type).toBe(left)
    const asked = runtime.requests.length
    await ask(model, { form: FORM })
    expect(runtime.requests).toHaveLength(asked + 1)
  })

  test("the newer name of the limit is given the older one", async () => {
    const message = '[{"type":"extra_forbidden","loc":["body","max_completion_tokens"]}]'
    await using runtime = await refusing(/max_completion_tokens/, message, 422)
    await using model = open(runtime)
    await ask(model)
    expect(runtime.lastBody()).toMatchObject({ max_tokens: 50 })
    expect(runtime.lastBody()).not.toHaveProperty("max_completion_tokens")
  })

  test("messages with the system role gets one message", async () => {
    await using runtime = await refusing(/"system"/, "System role not supported")
    await using model = open(runtime)
    await ask(model)
    expect(runtime.requests.at(-1)!.body.messages).toEqual([
      { role: "user", content: "Be brief.\n\nHow much water?" },
    ])
  })

  test("streaming gets a request for everything at once", async () => {
    await using runtime = await refusing(/"stream":true/, "stream is not supported")
    await using model = open(runtime)
    expect((await ask(model)).text).toBe("ok")
    expect(model.seen.hasStreamed).toBe(false)
  })
})

describe("a model that thinks", () => {
  const thinking = (words: number) => ({
    says: () => ({ text: "Forty litres.", reasoning: "thought ".repeat(words) }),
  })

  test("gets extra tokens once it is seen thinking, so that its answer is not cut off", async () => {
    await using runtime = await startChatRuntime("vllm", thinking(60))
    await using model = open(runtime)
    expect((await ask(model, { maxTokens: 50 })).text).toBe("Forty litres.")
    expect(runtime.requests.map(({ body }) => body["max_tokens"])).toEqual([50, 50 + 2048])
  })

  test("is passed on once its answer has a sentence, with each text once", async () => {
    const seen: string[] = []
    await using runtime = await startChatRuntime("ollama", {
      says: () => ({ text: "It moves forty litres. No more.", reasoning: "Hm. Well. " }),
      // Sends each word in its own packet, as models do.
      afterWord: () => pause(5),
    })
    await using model = open(runtime)
    await ask(model, { onText: (so) => void seen.push(so) })
    expect(seen.length).toBeLessThanOrEqual(2)
    expect(new Set(seen).size).toBe(seen.length)
    for (const one of seen) expect(one).toMatch(/^It moves forty litres\./)
  })

  test("but never answers causes an error that says what to set", async () => {
    await using runtime = await startChatRuntime("ollama", thinking(5000))
    await using model = open(runtime)
    await expect(ask(model)).rejects.toThrow(/FOSSICK_LLM_THINKING_TOKENS/)
  })

  test("and whose thinking began in the prompt shows none of it, once that is known", async () => {
    await using runtime = await startChatRuntime("vllm", {
      says: () => "Hm. It may be 90.\n</think>\nForty litres. Yes.",
    })
    await using model = open(runtime)
    expect((await ask(model)).text).toBe("Forty litres. Yes.")
    const seen: string[] = []
    await ask(model, { onText: (so) => void seen.push(so) })
    for (const one of seen) expect("Forty litres. Yes.".startsWith(one)).toBe(true)
  })

  test("is told not to, when the operator says so", async () => {
    await using runtime = await startChatRuntime("ollama", thinking(1))
    await using model = open(runtime, { FOSSICK_LLM_BODY: '{"reasoning_effort":"none","temperature":0.7}' })
    await ask(model)
    expect(runtime.lastBody()).toMatchObject({ reasoning_effort: "none", temperature: 0.7 })
  })
})

describe("a server that fails", () => {
  const failing = (times: number, status: number, headers = {}) => {
    let left = times
    return startChatRuntime("vllm", {
      says: () => "ok",
      instead: (_, response) => {
        if (left-- <= 0) return false
        response.writeHead(status, headers).end("{}")
        return true
      },
    })
  }

  test("for a temporary reason is retried as often as configured", async () => {
    await using twice = await failing(2, 500)
    await using model = open(twice)
    expect((await ask(model)).text).toBe("ok")
    await using thrice = await failing(3, 502)
    await using other = open(thrice, { FOSSICK_LLM_RETRIES: "1" })
    await expect(ask(other)).rejects.toThrow("the server answered 502")
    expect(thrice.requests).toHaveLength(2)
  })

  test("and asks for too long a wait is given up at once", async () => {
    await using runtime = await failing(9, 429, { "Retry-After": "3600" })
    await using model = open(runtime)
    await expect(ask(model)).rejects.toThrow("answered 429")
    expect(runtime.requests).toHaveLength(1)
  })

  test("is treated as away for all callers until it answers again", async () => {
    await using runtime = await failing(1, 500)
    await using model = open(runtime, { FOSSICK_LLM_RETRIES: "0" })
    await expect(ask(model)).rejects.toThrow("answered 500")
    expect(model.outage).toContain("The server of the language model answered 500")
    const asked = runtime.requests.length
    await expect(ask(model)).rejects.toThrow("answered 500")
    expect(runtime.requests).toHaveLength(asked)
    await expect.poll(() => model.outage).toBeNull()
    expect((await ask(model)).text).toBe("ok")
  })

  test("in the middle of a reply causes an error", async () => {
    await using runtime = await startChatRuntime("vllm", {
      says: () => "",
      instead: (_, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" })
        response.write('data: {"choices":[{"index":0,"delta":{"content":"It "}}]}\n\n')
        response.end('data: {"error":{"message":"EngineDeadError","code":500}}\n\n')
        return true
      },
    })
    await using model = open(runtime)
    await expect(ask(model)).rejects.toThrow("the reply ends in an error")
  })

  test("is reported without the key and the question", async () => {
    await using runtime = await startChatRuntime("hosted", { says: () => "ok", key: "sk-right-right" })
    await using model = open(runtime, { FOSSICK_LLM_API_KEY: "sk-wrong-wrong" })
    const error = (await ask(model, {}, "what is the secret?").catch((one: unknown) => one)) as Error
    expect(error.message).toBe("the server answered 401: it does not accept the key")
    expect(`${error.message}${model.outage}`).not.toMatch(/sk-wrong|secret/)
    expect(JSON.stringify(error.cause)).not.toContain("sk-wrong")
  })

  test("to respect the token limit is cut off", async () => {
    await using runtime = await startChatRuntime("vllm", {
      says: () => "",
      instead: (_, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" })
        const timer = setInterval(() => {
          for (let i = 0; i < 50; i++)
            response.write('data: {"choices":[{"index":0,"delta":{"content":"again and again "}}]}\n\n')
        }, 1)
        response.on("close", () => clearInterval(timer))
        return true
      },
    })
    await using model = open(runtime)
    const { text } = await ask(model, { maxTokens: 10 })
    expect(text.length).toBeLessThan(20_000)
  })
})

describe("a model that is being loaded", () => {
  test.each(["llamaCpp", "ollama"] as const)("on %s makes a report wait", async (name) => {
    let isLoaded = false
    await using runtime = await startChatRuntime(name, { says: () => "ok", isLoaded: () => isLoaded })
    await using model = open(runtime, { FOSSICK_LLM_LOAD_SECONDS: "60" })
    const reply = ask(model, { patience: "report" })
    await expect.poll(() => runtime.requests.length).toBeGreaterThan(0)
    isLoaded = true
    expect((await reply).text).toBe("ok")
  })

  test.each(["llamaCpp", "ollama"] as const)(
    "on %s costs an answer only its time limit, and still gets loaded",
    async (name) => {
      let isLoaded = false
      await using runtime = await startChatRuntime(name, { says: () => "ok", isLoaded: () => isLoaded })
      await using model = open(runtime, { FOSSICK_LLM_TIMEOUT_MS: "300" })
      await expect(ask(model)).rejects.toThrow("no reply within 300 ms")
      expect(model.outage).toContain("did not begin to reply")
      const asked = runtime.requests.length
      // The model is asked again even after the caller who wanted an answer has left.
      await expect.poll(() => runtime.requests.length).toBeGreaterThan(asked)
      isLoaded = true
      await expect.poll(() => model.outage).toBeNull()
    },
  )

  test("is not waited for longer than is set", async () => {
    await using runtime = await startChatRuntime("ollama", { says: () => "ok", isLoaded: () => false })
    await using model = open(runtime, { FOSSICK_LLM_TIMEOUT_MS: "100", FOSSICK_LLM_LOAD_SECONDS: "1" })
    await expect(ask(model, { patience: "report" })).rejects.toThrow("no reply within 1100 ms")
  })
})

describe("the chat model settings", () => {
  const read = (env: Record<string, string>) => readSettings(chatModelSettings, env)

  test.each([
    ["FOSSICK_LLM_BODY", "{", /must be a JSON object/],
    ["FOSSICK_LLM_BODY", "[1]", /must be a JSON object/],
    ["FOSSICK_LLM_BODY", '{"stream":false}', /must not contain stream/],
    ["FOSSICK_LLM_RETRIES", "-1", /from 0 to 10/],
    ["FOSSICK_LLM_LOAD_SECONDS", "0", /from 1 to 3600/],
    ["FOSSICK_LLM_CONTEXT_TOKENS", "many", /whole number/],
    ["FOSSICK_LLM_URL", "localhost:11434", /must be an http or https address/],
  ])("refuse %s=%s", (name, value, said) => {
    expect(() => read({ [name]: value })).toThrow(said)
    expect(() => read({ [name]: value })).toThrow(name)
  })

  test("name the setting with an unavailable key, and show no key", () => {
    const settings = (key: string) =>
      read({ FOSSICK_LLM_URL: "http://h/v1", FOSSICK_LLM_MODEL: "m", FOSSICK_LLM_API_KEY: key })
    expect(() => new ChatServer(settings("${NOT_THERE_AT_ALL}"))).toThrow(
      /FOSSICK_LLM_API_KEY.*NOT_THERE_AT_ALL/,
    )
    expect(() => new ChatServer(settings("file:/not/there"))).toThrow(/FOSSICK_LLM_API_KEY/)
    expect(() => new ChatServer(settings("two words"))).toThrow(/must be printable ASCII/)
    expect(() => new ChatServer(settings("two words"))).not.toThrow(/two words/)
  })

  test("require address and model together", () => {
    expect(() => checkChatModel({ llmUrl: "http://h/v1", llmModel: "" })).toThrow(
      "FOSSICK_LLM_MODEL must be set",
    )
  })
})
