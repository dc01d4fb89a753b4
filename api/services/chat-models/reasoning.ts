// The text that models write before they answer, in the forms in which servers pass it on: no server always removes it.

/**
 * Names of the elements that hold reasoning: DeepSeek, Qwen, Magistral, Seed, Phi and models trained on their
 * replies.
 */
const NAMES = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|seed:think"
/** Element marks that are not XML: Mistral, Cohere, Kimi, EXAONE. */
const PAIRS: readonly (readonly [string, string])[] = [
  ["[THINK]", "[/THINK]"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["◁think▷", "◁/think▷"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|channel>thought", "<channel|>"],
]
/** Tokens of chat templates that end or surround an answer. */
const TEMPLATE_TOKENS =
  /<\|(?:START_RESPONSE|END_RESPONSE|begin_of_solution|end_of_solution|im_end|end|return|eot_id|endoftext)\|>|(?:<end_of_turn>|<\/s>)\s*$/gi
/** Elements in which some models put their whole answer. */
const ANSWER_ELEMENT = /^\s*<(answer|response|output)>([^]*?)(?:<\/\1>\s*)?$/i
const HARMONY = /<\|(?:channel|start|message)\|>/
const HARMONY_PART = /(?:<\|start\|>\s*\w*)?<\|channel\|>\s*(\w+)[^<]*<\|message\|>/g

/** Whether a reply contains the end of reasoning but not its beginning, as with templates that put the beginning into the prompt. */
export const endsUnbegun = (reply: string): boolean => {
  const closed = new RegExp(`</(${NAMES})>`, "i").exec(reply)
  return (
    closed !== null && !reply.slice(0, closed.index).toLowerCase().includes(`<${closed[1]!.toLowerCase()}>`)
  )
}

export interface Unreasoned {
  readonly text: string
  /** Whether there was any reasoning. */
  readonly thought: boolean
}

/**
 * A reply without its reasoning: `<think>` and similar elements, even if one is never closed, or has no opening tag
 * because some templates put that in the prompt; and the channels of OpenAI's harmony format, where `final` is the
 * answer.
 *
 * @param isWhole false while more text may come: trailing text that may turn into a mark of reasoning is then held back
 */
export function withoutReasoning(reply: string, isWhole = true): Unreasoned {
  if (HARMONY.test(reply)) return finalChannel(reply)
  let text = reply
  let thought = false
  for (const [open, close] of [...elements(reply), ...PAIRS]) {
    const cut = withoutPair(text, open, close)
    thought ||= cut !== text
    text = cut
  }
  if (!isWhole) text = text.replace(/(?:<[|/]?[\w:|]*|\[\/?[A-Z]*|◁[/\w]*)$/, "")
  text = text.replaceAll(TEMPLATE_TOKENS, "").replace(ANSWER_ELEMENT, "$2")
  return { text: text.trim(), thought }
}

/** The reasoning elements that occur in a reply, as opening and closing tags. */
function elements(reply: string): (readonly [string, string])[] {
  const found = new Set(
    [...reply.matchAll(new RegExp(`</?(${NAMES})>`, "gi"))].map(([, name]) => name!.toLowerCase()),
  )
  return [...found].map((name) => [`<${name}>`, `</${name}>`])
}

function withoutPair(text: string, open: string, close: string): string {
  const lower = text.toLowerCase()
  const first = lower.indexOf(open.toLowerCase())
  const ends = lower.indexOf(close.toLowerCase())
  if (first < 0 && ends < 0) return text
  // The reasoning began in the prompt.
  if (first < 0 || (ends >= 0 && ends < first))
    return withoutPair(text.slice(ends + close.length), open, close)
  // An element in the middle of an answer is part of what the answer is about.
  if (text.slice(0, first).trim() !== "" && ends < 0) return text
  if (ends < 0) return text.slice(0, first)
  return text.slice(0, first) + withoutPair(text.slice(ends + close.length), open, close)
}

function finalChannel(reply: string): Unreasoned {
  const parts = [...reply.matchAll(HARMONY_PART)]
  const end = (at: number) => parts[at + 1]?.index ?? reply.length
  const finals = parts.flatMap((part, i) =>
    part[1] === "final" ? [reply.slice(part.index + part[0].length, end(i))] : [],
  )
  const text = finals.join("\n").replace(/<\|(?:end|return|call|start)\|>[^]*$/, "")
  return { text: text.trim(), thought: true }
}
