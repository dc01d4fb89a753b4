// A prompt that a person chooses in a program.

interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly {
    readonly name: string
    readonly description: string
    readonly required: true
  }[]
  text(given: Readonly<Record<string, string>>): string
}

export const prompts: readonly Prompt[] = [
  {
    name: "answer_from_index",
    title: "Answer from the index",
    description: "Answers a question from the pages of this index alone, with sources and their dates.",
    arguments: [{ name: "question", description: "What you want to know.", required: true }],
    text: ({ question }) =>
      `Answer this question from the pages of the index alone: ${question}

Search with tavily_search. Where its passages are not enough, read the page with fetch. After each statement name the address of the page that says so. Say how old the sources are: when they were published and last checked. If the search says that nothing here fits, say that the index does not answer this, and do not answer from memory.`,
  },
  {
    name: "summarise_page",
    title: "Summarise a page",
    description: "Summarises a page from the index by its address.",
    arguments: [{ name: "url", description: "The address of the page.", required: true }],
    text: ({ url }) =>
      `Read the page ${url} with fetch, to its end if it has several parts, and summarise it: what it is for, its main points, and what it asks readers to do. Say when it was published and last checked.`,
  },
]
