import { closest, collapse, type Element, firstElement, isBlockTag, textOf } from "../../html/tree.ts"
import { beginningOf, type DateSpot, type HeadingSpot, NO_TEXT } from "./date-spots.ts"
import { isNextTo, statedDate, type StatedDate } from "./parse-date.ts"
import { type DateWriting, type WrittenDay, writtenDays } from "./written-days.ts"

/** The parts of a document in which its visible date is looked for. */
export interface SeenDocument {
  readonly spots: readonly DateSpot[]
  readonly headings: readonly HeadingSpot[]
  /** Elements that readers don't see. */
  readonly unseen: ReadonlySet<Element>
  /** The headings that name the page, in document order; empty if unknown. */
  readonly titles: readonly HeadingSpot[]
}

/** Maximum number of characters of text between the title and an unmarked date of the page. */
const NEAR_BEFORE = 200
const NEAR_AFTER = 400
/** Maximum length of a line. A longer one is prose, unless it begins with its date. */
const LABEL_CHARS = 120
/** Maximum length of an aside that may be the line below the title; a longer one is about something else. */
const ASIDE_CHARS = 200
/** Maximum number of characters between a title and its subtitle. */
const SUBTITLE_CHARS = 100
/** Maximum number of words beside a date in a label: `Published on Friday`, `Saved by Ann at`. */
const LABEL_WORDS = 5

/** Matches signs of the day of publication: words in classes, and words before the date. */
const PUBLISHED_SIGN =
  /publish|pub-?(?:date|time)|publica(?:tion-?date|d[oa])|publié|post(?:ed|-?date|-?time|-?on)|entry-?date|creat(?:ed|ion-?date)|submitted|issued/i
const PUBLISHED_WORD =
  /publi[sckqé]|post(?:ed|ad)|veröffentlicht|erschienen|erstellt|verfasst|created|written|submitted|submetid|pubblicat|geplaatst|gepubliceerd|julkaistu|publicer|opublikowan|zveřejněn|objav|megjelent|yayın|опублик|публик|تاریخ|نشر|פורסם|发布|發布|发表|發表|公開|投稿|掲載|등록|입력|게시/i
/** Matches a word of publication at the start of a line, with at most one short word between it and the date. */
const PUBLISHED_START = new RegExp(
  `^\\P{L}*(?:${PUBLISHED_WORD.source})\\p{L}*\\s*(?:\\p{L}{1,4}\\s+)?$`,
  "iu",
)
const DATE_SIGN = /date|datum|fecha|\bdata\b|timestamp|datetime|byline|meta|info\b/i
const DATE_WORD = /^\W*(?:dat(?:e|um|a|o)|fecha|päivä\w*|дата|tarih|日期|日付|날짜)\s*[:：]?\s*$/iu
/** Matches signs of the day of a change. */
const CHANGED =
  /updat|mise?s? à jour|atualiz|cập nhật|modif|chang|edited|revis|review|actuali[sz]|aktuali|änder|stand\b|aggiorna|bijgewerkt|gewijzigd|uppdater|opdater|oppdater|endret|senast|päivitet|güncel|обновл|измен|оновл|更新|修正|수정|تحديث|עודכן/i
/** Classes of comments, teasers, events and other boxes whose dates aren't the page's. */
const FOREIGN =
  /(?:^|[\s_-])(?:comments?|commentlist|kommentare?|replies|reply|respond|reviews?|related|recommend\w*|teasers?|sidebar|popular|trending|latest|recent|events?|eventbox|calendar|termine?|agenda|veranstaltung\w*|copyright|breadcrumbs?|nav|menu|newsletter|deadline|birth\w*|expir\w*|valid\w*)(?=$|[\s_-]|\d)|[a-z](?:Comment|Related|Teaser|Event)/
const SITE = new Set(["body", "html", "#document"])
const FOREIGN_TYPES = /Comment|Review|Event|Person|Answer/
/** Words before a date that indicate that it belongs to something else: an offer, a member, a term, a birth. */
const OTHER_WORD =
  /\b(?:ends?|ending|until|till|due|expir\w*|deadline|starts?|begins?|since|born|joined|registr\w*|member|valid|next|bis|ab|seit|gültig|geboren|hasta|jusqu\w*|depuis|fino|tot|released?|available)\b/i
const RANGE = /^\s*(?:[-–—/]|bis|to|until|au|al|tot)\s*\p{L}*,?\s*$/iu
/** `14. – 20. Januar 2022`. */
const HALF_RANGE = /(?:^|\s)\d{1,2}\.?\s*(?:[-–—/]|bis|to|until|au|al|tot)\s*$/i

/** Maximum number of days near a page's title. A page has a day or two of its own; if there are more, they belong to listed pages. */
const MAX_DAYS = 2

const daysOf = (candidates: readonly VisibleDate[]): ReadonlySet<number> =>
  new Set(candidates.map(({ day }) => day))

export interface VisibleDate extends StatedDate {
  /** How clear it is that the page was published on this day: 3 if the page says so, 2 if the text is called a date, 1 if only its place suggests it. */
  readonly rank: number
  readonly distance: number
}

/**
 * The date that a page displays to its readers: beside its title, or in an element that is marked as a date. Null if
 * there is none, or if it might belong to a comment, an event, a change or another page.
 */
export function visibleDate(document: SeenDocument, writing: DateWriting): VisibleDate | null {
  if (document.spots.length === 0) return null
  const outline = new Outline(document)
  const candidates = document.spots.flatMap((spot) => candidateOf(spot, outline, writing) ?? [])
  // If there are several different days far from the title, they belong to a list.
  const far = candidates.filter(({ distance }) => distance > 1)
  const likely = daysOf(far).size > 1 ? candidates.filter(({ distance }) => distance <= 1) : candidates
  const [best] = likely.toSorted((a, b) => b.rank - a.rank || a.distance - b.distance)
  if (daysOf(likely.filter(({ rank }) => rank === best?.rank)).size > MAX_DAYS) return null
  if (best?.isUtc !== true) return best ?? null
  const shown = candidates.find(({ day, isUtc }) => !isUtc && isNextTo(day, best.day))
  return shown ?? best
}

function candidateOf(spot: DateSpot, outline: Outline, writing: DateWriting): VisibleDate | null {
  // Most dates on a page belong to teasers and comments, and finding that out is cheaper than parsing the dates.
  if (!outline.isOwn(spot)) return null
  const { element } = spot
  const signs = signsOf(element)
  const isSigned = PUBLISHED_SIGN.test(signs)
  const distance = outline.distance(spot)
  const isNear = distance <= 1
  const needsWord = !isNear && outline.hasTitle && !isSigned
  const found = spot.isAttribute
    ? attributeDay(spot, signs, writing)
    : textDay(spot, outline, writing, needsWord)
  if (found === null) return null
  const isPublished = found.isPublished || isSigned
  if (CHANGED.test(signs) && !isPublished && !DATE_SIGN.test(signs)) return null
  if (isPublished) return { ...found.date, rank: 3, distance }
  const isMarked = element.tag === "time" || found.isMarked || DATE_SIGN.test(signs)
  if (isMarked && (isNear || !outline.hasTitle)) return { ...found.date, rank: 2, distance }
  return isNear && outline.hasTitle ? { ...found.date, rank: 1, distance } : null
}

interface Found {
  readonly date: StatedDate
  readonly isPublished: boolean
  readonly isMarked: boolean
}

function attributeDay(spot: DateSpot, signs: string, writing: DateWriting): Found | null {
  const { element, text } = spot
  const isMeant =
    element.tag === "time" ||
    (element.tag === "abbr" && /publish|date/i.test(signs)) ||
    /date(?:published|created)|dc(?:terms)?:(?:date|created|issued)/i.test(
      `${element.get("itemprop") ?? ""} ${element.get("property") ?? ""}`,
    )
  const date = isMeant ? statedDate(text, writing) : null
  return date === null ? null : { date, isPublished: element.has("pubdate"), isMarked: true }
}

/** @param needsWord whether a day is accepted only if the text calls it the day of publication */
function textDay(spot: DateSpot, outline: Outline, writing: DateWriting, needsWord: boolean): Found | null {
  const whole = outline.lineOf(spot)
  if (whole === null) return null
  // In prose, a date is accepted only at the beginning.
  const line = whole.slice(0, LABEL_CHARS + 1)
  if (needsWord && !PUBLISHED_WORD.test(line)) return null
  const days = writtenDays(line, writing)
  const day = days.find(({ from }, i) => !CHANGED.test(line.slice(days[i - 1]?.to ?? 0, from)))
  if (day === undefined || isRange(line, days)) return null
  const before = line.slice(0, day.from)
  if (/©|\(c\)|copyright/i.test(before) || OTHER_WORD.test(before)) return null
  if (!isDateline(line, day) && !isLabel(line, day)) return null
  const date = { time: day.time, day: day.time, isUtc: false }
  return { date, isPublished: PUBLISHED_WORD.test(before), isMarked: DATE_WORD.test(before) }
}

/** Whether days are the start and end of a period. */
const isRange = (line: string, days: readonly WrittenDay[]): boolean =>
  days.some((day, i) =>
    i > 0 ? RANGE.test(line.slice(days[i - 1]!.to, day.from)) : HALF_RANGE.test(line.slice(0, day.from)),
  )

/** Whether a line of prose begins with its date: `(18.01.2018) The lamp …`, `Berlin, 27 January 2022 – The lamp …`. */
function isDateline(line: string, { from, to }: WrittenDay): boolean {
  const before = line.slice(0, from)
  const after = line.slice(to)
  if (/^[\s([]*$/.test(before)) return /^\s*(?:[)\]–—|:•·/„"“»-]|\/\/)/.test(after)
  return (
    /^[\s([]*\p{Lu}[^.,:]{1,30}[,:/]?\s*(?:\p{L}+,\s*)?$/u.test(before) && /^\s*[)\]]?\s*[–—:-]/.test(after)
  )
}

/** Whether a line is about its date: it has few other words before any date of a change. */
function isLabel(line: string, { from, to }: WrittenDay): boolean {
  if (line.length > LABEL_CHARS) return false
  const around = `${line
    .slice(0, from)
    .split(/[|·•»>()/\n]/)
    .at(-1)!} ${
    line
      .slice(to)
      .split(/[|·•»<()/\n]/)[0]!
      .split(CHANGED)[0]!
  }`
  const words = around.match(/\p{L}{2,}/gu) ?? []
  // A line such as `Posted March 5, 2021 at 9:00 by Ann Wick in Walks` can be of any length.
  const isAbout = words.length <= LABEL_WORDS || PUBLISHED_START.test(line.slice(0, from))
  return isAbout && !/\p{L}{3,}[.!?。]\s*$/u.test(line.slice(to))
}

/** The class, id and property of an element and of its parent. */
function signsOf(element: Element): string {
  const own = (one: Element | null) =>
    one === null ? "" : ["class", "id", "itemprop", "property"].map((name) => one.get(name) ?? "").join(" ")
  return `${own(element)} ${own(element.parent)}`
}

/** Finds the heading above each part of the document. */
class Outline {
  readonly hasTitle: boolean
  readonly #titles: readonly (HeadingSpot & { readonly end: number })[]
  readonly #headings: readonly HeadingSpot[]
  readonly #unseen: ReadonlySet<Element>
  /** The heading inside each element that contains any: the title if it is there, otherwise the first heading. */
  readonly #around = new Map<Element, HeadingSpot>()
  readonly #isTitle: ReadonlySet<HeadingSpot>
  readonly #linked = new Map<HeadingSpot, boolean>()
  readonly #lines = new Map<Element, ReadonlyMap<Element | string, string>>()
  /** The nearest ancestor of each element that contains a heading; null if an element in between belongs to something else. */
  readonly #homes = new Map<Element, Element | null>()

  constructor({ headings, unseen, titles }: SeenDocument) {
    this.#headings = headings.filter(
      ({ element }) =>
        closest(element, (one) => unseen.has(one)) === null &&
        !isLabelHeading(textOf(element, HEADING_CHARS)),
    )
    this.#isTitle = new Set(titles)
    this.#titles = this.#headings
      .filter((one) => this.#isTitle.has(one))
      .map((one) => ({ ...one, end: one.at + textOf(one.element, 500).length }))
    this.hasTitle = this.#titles.length > 0
    this.#unseen = unseen
    for (const heading of this.#headings) {
      const isTitle = this.#isTitle.has(heading)
      for (let at = heading.element.parent; at !== null; at = at.parent) {
        const before = this.#around.get(at)
        if (before !== undefined && (!isTitle || this.#isTitle.has(before))) break
        this.#around.set(at, heading)
      }
    }
  }

  /** Distance of a spot from the title (or from the start of the page, if there is no title); up to 1 is near. */
  distance({ at }: DateSpot): number {
    if (!this.hasTitle) return at / NEAR_AFTER
    const each = this.#titles.map((title) =>
      at < title.at ? (title.at - at) / NEAR_BEFORE : Math.max(0, at - title.end) / NEAR_AFTER,
    )
    return Math.min(...each)
  }

  /** Whether a spot is about this page, and not about another page, a comment or the site. */
  isOwn(spot: DateSpot): boolean {
    const home = this.#homeOf(spot.element)
    if (home === null) return false
    const heading = this.#around.get(home)
    if (heading === undefined || !this.hasTitle) return true
    if (this.#isTitle.has(heading)) return true
    // The title can be outside the box of its text, but then there must be no other heading in between.
    if (this.#isLinked(heading)) return false
    const title = this.#titles.findLast(({ at }) => at <= spot.at)
    return (
      title !== undefined &&
      this.#headings.every(
        (other) =>
          other.at <= title.at ||
          other.at > spot.at ||
          (other.at - title.end <= SUBTITLE_CHARS && !this.#isLinked(other)),
      )
    )
  }

  /** Whether a heading links to another page, as a teaser's does. */
  #isLinked(heading: HeadingSpot): boolean {
    let isLinked = this.#linked.get(heading)
    if (isLinked === undefined) {
      const { element } = heading
      isLinked = element.parent?.tag === "a" || firstElement(element, ({ tag }) => tag === "a") !== null
      this.#linked.set(heading, isLinked)
    }
    return isLinked
  }

  #homeOf(element: Element): Element | null {
    const known = this.#homes.get(element)
    if (known !== undefined) return known
    const home = this.#findHome(element)
    this.#homes.set(element, home)
    return home
  }

  #findHome(element: Element): Element | null {
    if (this.#unseen.has(element)) return null
    if (this.#around.has(element)) return element
    const { tag, parent } = element
    if (/^h[1-4]$/.test(tag) && this.#titles.some((title) => title.element === element)) return null
    if (tag === "aside" && textOf(element, ASIDE_CHARS + 1).length > ASIDE_CHARS) return null
    if (tag === "nav" || tag === "blockquote" || tag === "table") return null
    if (FOREIGN.test(`${element.get("class") ?? ""} ${element.get("id") ?? ""}`)) return null
    if (FOREIGN_TYPES.test(element.get("itemtype") ?? "")) return null
    // Whether an element is the header or footer of the site, and not of an article.
    if ((tag === "header" || tag === "footer") && (parent === null || SITE.has(parent.tag))) return null
    return parent === null ? element : this.#homeOf(parent)
  }

  /** The line that contains some text, from one block or line break to the next. Null if the text isn't part of a line. */
  lineOf({ element, text }: DateSpot): string | null {
    let child: Element | string = text
    let block = element
    while (!isBlockTag(block.tag) && !block.containsBlock && block.parent !== null) {
      child = block
      block = block.parent
    }
    let lines = this.#lines.get(block)
    if (!lines) {
      lines = linesOf(block)
      this.#lines.set(block, lines)
    }
    return lines.get(child) ?? null
  }
}

const HEADING_CHARS = 40

/** Whether a heading only labels the date: `Published`, `Date:`. */
const isLabelHeading = (text: string): boolean =>
  DATE_WORD.test(text) || (!/\s\S+\s/.test(text) && PUBLISHED_WORD.test(text))

/** Maximum number of characters of a line; the rest is ignored. */
const MAX_LINE_CHARS = 400

/** The lines of a block, indexed by their parts: elements, and texts as in {@link DateSpot}. */
function linesOf(block: Element): ReadonlyMap<Element | string, string> {
  const lines = new Map<Element | string, string>()
  let parts: (Element | string)[] = []
  let line = ""
  const end = () => {
    const whole = collapse(line)
    for (const part of parts) if (!lines.has(part)) lines.set(part, whole)
    parts = []
    line = ""
  }
  for (const child of block.children) {
    if (typeof child !== "string" && NO_TEXT.has(child.tag)) continue
    if (typeof child !== "string" && (isBlockTag(child.tag) || child.containsBlock || child.tag === "br")) {
      end()
      continue
    }
    if (typeof child === "string") {
      parts.push(beginningOf(child))
      line += child.slice(0, MAX_LINE_CHARS)
    } else {
      parts.push(child)
      if (line.length <= MAX_LINE_CHARS) line += textOf(child, MAX_LINE_CHARS)
    }
  }
  end()
  return lines
}
