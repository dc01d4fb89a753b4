import type { PageTopic } from "#engine"
import type { DocumentFacts, JsonObject } from "./metadata.ts"
import { typeName, typesOf } from "./schema-types.ts"

// schema.org 29: NewsArticle and its subtypes. BlogPosting and Article are left out, because they can be anything with
// an author.
const NEWS = new Set(
  (
    "NewsArticle AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle OpinionNewsArticle " +
    "ReportageNewsArticle ReviewNewsArticle"
  ).split(" "),
)
const FINANCE = new Set(
  (
    "FinancialProduct BankAccount DepositAccount CurrencyConversionService InvestmentOrDeposit BrokerageAccount " +
    "InvestmentFund LoanOrCredit CreditCard MortgageLoan PaymentCard PaymentService ExchangeRateSpecification " +
    "FinancialService BankOrCreditUnion"
  ).split(" "),
)
const ARTICLE = /Article$|^(?:BlogPosting|LiveBlogPosting|Report)$/

/** Marks used only by publishers of news: for news crawlers, syndication, and metered reading. */
const NEWS_MARKS = [
  "news_keywords",
  "googlebot-news",
  "syndication-source",
  "original-source",
  "article:content_tier",
]
const NEWS_ADDRESS =
  /^https?:\/\/(?:news\.|[^/]+\/(?:[^?#]*\/)?(?:news|nachrichten|actualites?|noticias|notizie|nieuws|nyheter|novosti|wiadomosci)\/)/i

// "business" is left out, because half of all news is in such a section.
const FINANCE_SECTION = new RegExp(
  `^(?:${[
    "finance|finances|personal finance|markets?|stock markets?|stocks|money|economy|economics",
    "investing|investments?|banking|wirtschaft|finanzen|börse|geld|économie|bourse|finanzas|economía|mercados",
    "economia|finanza|finanze|mercati|finanças|economie|financiën|beurs|ekonomi|gospodarka|finanse",
    "экономика|финансы|经济|财经|经济金融|経済|金融",
  ].join("|")})$`,
  "iu",
)

/**
 * News or finance, if the document says so. Finance is recognised by schema.org's financial types or the article's
 * section; news by schema.org's news types, or by a mark of news publishing on an article. News in a finance section is
 * finance.
 */
export function readTopic(facts: DocumentFacts, url: string): PageTopic | null {
  const types = [...facts.jsonLd.flatMap(typesOf), ...facts.itemTypes.map(typeName)]
  const news = types.some((type) => NEWS.has(type))
  const article = isDatedArticle(facts) || types.some((type) => ARTICLE.test(type))
  if (types.some((type) => FINANCE.has(type))) return "finance"
  if (article && sections(facts).some((section) => FINANCE_SECTION.test(section))) return "finance"
  if (news) return "news"
  return article && hasNewsMark(facts, url) ? "news" : null
}

function isDatedArticle({ meta }: DocumentFacts): boolean {
  return meta.get("og:type")?.toLowerCase() === "article" && meta.has("article:published_time")
}

function hasNewsMark(facts: DocumentFacts, url: string): boolean {
  if (NEWS_MARKS.some((name) => facts.meta.has(name))) return true
  if (facts.jsonLd.some((object) => publisherIsNews(object))) return true
  return isDatedArticle(facts) && NEWS_ADDRESS.test(url)
}

function publisherIsNews(object: JsonObject): boolean {
  const publisher = object["publisher"]
  return (
    typesOf(object).includes("NewsMediaOrganization") ||
    (typeof publisher === "object" &&
      publisher !== null &&
      typesOf(publisher as JsonObject).includes("NewsMediaOrganization"))
  )
}

function sections(facts: DocumentFacts): string[] {
  const named: unknown[] = [facts.meta.get("article:section")]
  for (const object of facts.jsonLd) named.push(object["articleSection"])
  return named
    .flat()
    .slice(0, 50)
    .flatMap((section) => (typeof section === "string" ? [section.trim()] : []))
}
