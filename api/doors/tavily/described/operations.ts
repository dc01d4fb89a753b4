import { crawlAnswer, extractAnswer, mapAnswer, searchAnswer } from "./answers.ts"
import { PRICES } from "../../../identity/accounts/billing/credits.ts"
import { crawlSchema, extractSchema, mapSchema, searchSchema } from "../schema.ts"
import { type DomainCaps, ok, operations } from "../../../server/operation/operation.ts"
import type { JsonSchema } from "../../../server/schema/schemas.ts"
import { publishedBody } from "../../../server/operation/published.ts"

/** The body of a search. @param limits the described server's limits; if left out, no limits are stated */
function searchBody(limits?: DomainCaps): JsonSchema {
  const domains = (maxItems?: number) => ({
    anyOf: [
      { type: "string" },
      { type: "array", items: { type: "string" }, ...(maxItems !== undefined && { maxItems }) },
    ],
  })
  return publishedBody(searchSchema, {
    include_domains: domains(limits?.includeDomainsCap),
    exclude_domains: domains(limits?.excludeDomainsCap),
  })
}

/** The operations for search and live calls. @param limits the limits set on the described server; if left out, no limits are stated */
export const tavilyOperations = (limits?: DomainCaps) =>
  operations("Live pages", "key", {
    search: {
      at: "POST /search",
      tag: "Search",
      summary: "Search the index",
      description: `Returns the pages that answer a question, best first, each with its most relevant passages. With \`include_answer\` and the header \`Accept: text/event-stream\`, the response is a stream of server-sent events: \`search.results\`, the answer in \`chat.completion.chunk\`s while it is written, \`search.answer\`, \`done\`. ${PRICES.search}`,
      body: { schema: searchBody(limits), required: true },
      answers: { 200: { description: "The results.", schema: searchAnswer, streams: true } },
      refusals: [432, 433],
      examples: [
        {
          summary: "A question",
          body: { query: "how do I prune roses?", max_results: 3 },
          answer: {
            query: "how do I prune roses?",
            follow_up_questions: null,
            answer: null,
            images: [],
            results: [
              {
                id: "0b0b5f-00",
                title: "Roses",
                url: "https://garden.example.com/roses",
                content: "Roses are pruned in winter and fed in spring. [...] Cut above an outward bud.",
                score: 0.94,
                raw_content: null,
                sources: ["garden"],
                type: "html",
                language: "en",
                section: { heading: "Pruning", url: "https://garden.example.com/roses#pruning" },
              },
            ],
            response_time: 0.02,
            request_id: "0b0b5f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
          },
        },
        {
          summary: "An answer with its sources, from two sites",
          body: {
            query: "how do I prune roses?",
            include_answer: true,
            include_domains: ["example.com", "example.org"],
            search_depth: "advanced",
            include_usage: true,
          },
        },
        { summary: "A value that is not allowed", body: { query: "roses", topic: "sports" }, status: 400 },
      ],
    },
    extract: {
      at: "POST /extract",
      summary: "Read pages",
      description: `Reads addresses live, whether or not they are in the index. ${PRICES.extract}`,
      body: { schema: publishedBody(extractSchema), required: true },
      answers: ok(extractAnswer, "The content of each address, or why it could not be read."),
      refusals: [432, 433],
      examples: [
        {
          summary: "Two pages",
          body: { urls: ["https://garden.example.com/roses", "https://garden.example.com/gone"] },
          answer: {
            results: [
              {
                url: "https://garden.example.com/roses",
                title: "Roses",
                raw_content: "# Roses\n\nRoses are pruned in winter and fed in spring.",
                images: [],
              },
            ],
            failed_results: [
              {
                url: "https://garden.example.com/gone",
                error: "Failed to fetch url: the site answered with status 404",
              },
            ],
            response_time: 0.4,
            request_id: "8a7c0f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
          },
        },
        { summary: "No address", body: { urls: [] }, status: 400 },
      ],
    },
    crawl: {
      at: "POST /crawl",
      summary: "Walk a site and get the content of its pages",
      description: "Costs as much as a map and an extraction of the same pages.",
      body: { schema: publishedBody(crawlSchema), required: true },
      answers: ok(crawlAnswer, "The pages read in time."),
      refusals: [432, 433],
      examples: [
        {
          summary: "The first pages of a site",
          body: { url: "https://garden.example.com/", limit: 2 },
          answer: {
            base_url: "https://garden.example.com/",
            results: [
              { url: "https://garden.example.com/", raw_content: "# Our garden", images: [] },
              {
                url: "https://garden.example.com/roses",
                raw_content: "# Roses\n\nRoses are pruned in winter and fed in spring.",
                images: [],
              },
            ],
            response_time: 1.2,
            request_id: "3c6d0f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
          },
        },
      ],
    },
    map: {
      at: "POST /map",
      summary: "Find the addresses of a site",
      description: PRICES.map,
      body: { schema: publishedBody(mapSchema), required: true },
      answers: ok(mapAnswer, "The addresses found in time."),
      refusals: [432, 433],
      examples: [
        {
          summary: "A site's addresses",
          body: { url: "garden.example.com", max_depth: 2 },
          answer: {
            base_url: "garden.example.com",
            results: ["https://garden.example.com/", "https://garden.example.com/roses"],
            response_time: 0.9,
            request_id: "5d1b0f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
          },
        },
        { summary: "No start", body: {}, status: 400 },
      ],
    },
  })
