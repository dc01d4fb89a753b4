import { wordsIn } from "./resemblance.ts"

/** What a page with a success status says about itself in its title or first heading, if it is an error page. */
export type ErrorWording =
  /** The page says explicitly that a page doesn't exist. */
  | "not-found"
  /** The page says that something doesn't exist, but a page about such errors might say so too. */
  | "maybe-not-found"
  /** The page says that the site is under maintenance. */
  | "maintenance"

/** Maximum length of an error page, in words; texts that explain errors are longer. */
const MOST_WORDS = 150
/** Maximum length, in words, at which a page that says "not found" is certain to be an error page. */
const FEW_WORDS = 60
const HEADLINE_CHARS = 60

/**
 * Judges a short page by its headlines and its beginning, in the languages in which most sites are written; `null` for
 * any other page. `isMarked`: the program that made the page marks it as missing, in any language.
 */
export function errorWording(title: string, markdown: string, isMarked = false): ErrorWording | null {
  if (isMarked && wordsIn(markdown) <= MOST_WORDS) return "not-found"
  const headlines = [title, firstHeading(markdown)]
    .flatMap(parts)
    .filter((part) => part.length <= HEADLINE_CHARS)
  const unwritten = openingOf(markdown)
  if (unwritten === "not-found") return unwritten
  const isNotFound = headlines.some(
    (part) => NOT_FOUND.test(part) || STATUS.test(part) || NEW_PAGE.test(part),
  )
  if (!isNotFound && !headlines.some((part) => MAINTENANCE.test(part))) return unwritten
  const words = wordsIn(markdown)
  if (words > MOST_WORDS) return null
  if (!isNotFound) return "maintenance"
  const isSure = headlines.some(
    (part) =>
      STATUS.test(part) ||
      (NOT_FOUND.test(part) &&
        (PAGE.test(part) || /\b4(?:04|10)\b/.test(part) || (NOT_YET.test(part) && TOPIC.test(part)))),
  )
  return isSure && words <= FEW_WORDS ? "not-found" : "maybe-not-found"
}

function firstHeading(markdown: string): string {
  return /^#{1,3} (.*)/m.exec(markdown)?.[1] ?? ""
}

/**
 * In a wiki, a page that does not exist yet says so in its first sentence, under its future title, and offers to create
 * it. A page that explains such sentences has more text.
 */
function openingOf(markdown: string): ErrorWording | null {
  const line = /^(?!#)\S.*$/m.exec(markdown.slice(0, 2000))?.[0] ?? ""
  const [sentence = ""] = line.split(/(?<=[.!?。])\s|。/)
  if (sentence.length > OPENING_CHARS || !UNWRITTEN.test(sentence)) return null
  const words = wordsIn(markdown)
  if (words > MOST_WORDS) return null
  return words <= FEW_WORDS && CREATE.test(markdown) ? "not-found" : "maybe-not-found"
}

const OPENING_CHARS = 160

/** A title often includes the site's name: `Page not found | Example`. */
function parts(headline: string): string[] {
  return headline.split(/\s[|–—·»:-]\s|[|»:]/).map((part) => part.trim())
}

const STATUS =
  /^(?:http |error |fehler |erreur |errore |erro |fout |błąd |ошибка )?(?:code )?(?:404|410)(?: error| fehler| erreur)?\P{L}*$/iu

const NOT_FOUND = anyOf(
  [
    "not found",
    "cannot be found",
    "can['’]t be found",
    "could ?n[o'’]t be found",
    "could not find",
    "couldn['’]t find",
  ],
  ["does not (?:yet )?exist", "doesn['’]t (?:yet )?exist", "no longer (?:exists|available)", "not available"],
  ["nicht gefunden", "nicht (?:mehr )?verfügbar", "existiert (?:noch )?nicht", "nicht vorhanden"],
  ["introuvable", "non trouvée?", "n['’]existe (?:pas|plus)", "pas été trouvée?"],
  ["no encontrad[oa]", "no se (?:ha )?enc(?:ontr|uentra)", "no existe"],
  ["não encontrad[oa]", "não foi encontrad[oa]", "não existe"],
  ["non trovat[oa]", "non (?:è stata|è stato) trovat[oa]", "non esiste", "inesistente"],
  [
    "niet gevonden",
    "bestaat (?:nog )?niet",
    "nie znalezion[oaey]",
    "nie istnieje",
    "nenalezen[ao]?",
    "neexistuje",
  ],
  [
    "hittades inte",
    "hittar inte",
    "finns inte",
    "ikke fundet",
    "ikke funnet",
    "fin[dn]es ikke",
    "ei löyt?[yd]",
  ],
  [
    "nem (?:található|létezik)",
    "eksisterer ikke",
    "mevcut değil",
    "δεν υπάρχει",
    "no existei?x",
    "nu a fost găsit[ăa]?",
    "nu există",
    "bulunamad[ıi]",
    "δεν βρέθηκε",
    "tidak ditemukan",
  ],
  ["не найден[ао]?", "не существует", "не знайден[ао]?", "не існує", "không tìm thấy", "không tồn tại"],
  ["見つかりません", "存在しません", "找不到", "未找到", "不存在", "찾을 수 없", "존재하지 않"],
  ["غير موجود", "لم يتم العثور", "לא נמצא", "یافت نشد", "नहीं मिला", "ไม่พบ"],
)

const PAGE = anyOf(
  [
    "page",
    "seite",
    "página",
    "pagina",
    "document",
    "file",
    "url",
    "content",
    "inhalt",
    "contenu",
    "strona",
    "stránka",
  ],
  [
    "sidan?",
    "siden?",
    "sivua?",
    "oldal",
    "sayfa",
    "σελίδα",
    "halaman",
    "страниц[аыу]",
    "сторінк[аиу]",
    "trang",
  ],
  ["ページ", "页面", "頁面", "网页", "網頁", "페이지", "صفحة", "הדף", "דף", "صفحه", "पृष्ठ", "หน้า"],
)

/** Phrases used for pages that haven't been written yet, but also by articles about things that don't exist yet. */
const NOT_YET = anyOf(
  [
    "exist yet",
    "yet exist",
    "existiert noch nicht",
    "pas encore",
    "todavía",
    "aún no",
    "aínda non",
    "encara no",
  ],
  [
    "ancora",
    "ainda",
    "nog niet",
    "jeszcze nie",
    "ещё",
    "еще",
    "ще не",
    "endnu",
    "ännu",
    "ennå",
    "vielä",
    "még nem",
  ],
  ["ještě", "ešte", "încă", "henüz", "ακόμη", "belum", "まだ", "尚", "아직", "עדיין", "بعد"],
)

/** Words that wikis use for a page, in addition to those in {@link PAGE}. */
const TOPIC = anyOf(
  ["topic", "article", "thema", "artikel", "sujet", "tema", "tópico", "argomento", "onderwerp", "тема"],
  ["emne", "dokument", "ämne", "otsikko", "başlık", "topik"],
  ["項目", "主题", "主題", "주제", "문서", "الموضوع"],
)

/** Beginnings of the text that wikis show in place of an unwritten page. */
const UNWRITTEN = anyOf(
  [
    "^there is currently no text in this page",
    "^(?:this|the) (?:\\S+ )?(?:page|topic|article)\\b.{0,80}does(?:n['’]t| not) (?:yet )?exist",
  ],
  [
    "^diese(?:r|s)? (?:seite|thema|artikel) (?:enthält (?:momentan|derzeit) (?:noch )?keinen text|existiert (?:noch )?nicht)",
  ],
  [
    "^il n['’]y a pour l['’]instant aucun texte",
    "^cette page n['’]existe pas",
    "^(?:actualmente )?esta página (?:todavía |aún |actualmente )?no existe",
  ],
  [
    "^esta página (?:ainda )?não existe",
    "^questa pagina non esiste",
    "^al momento questa pagina è vuota",
    "^deze pagina bestaat (?:nog )?niet",
  ],
  [
    "^ta strona (?:jeszcze )?nie istnieje",
    "^(?:эта|данная) страница (?:ещё |еще )?не существует",
    "^このページはまだ",
    "^(?:该|此|本)页面?(?:尚|还)?不存在",
  ],
)

const CREATE = anyOf(
  [
    "\\bcreat",
    "\\berstell",
    "\\banlegen",
    "\\bcré(?:er|ez)",
    "\\bcre(?:ar|arl|a esta)",
    "\\bcri(?:ar|á|e)",
    "\\baanmaken",
    "\\bmaak",
  ],
  ["\\butw[óo]rz", "созда", "作成", "创建", "建立", "만들"],
)

/** The form for a new page, shown in place of a missing one. */
const NEW_PAGE = new RegExp(
  "^(?:create (?:a )?(?:new|this|the first) page|neue seite (?:anlegen|erstellen)|créer une (?:nouvelle )?page|crear (?:una )?página nueva|criar nova página|nieuwe pagina (?:aan)?maken)$",
  "iu",
)

const MAINTENANCE = anyOf(
  [
    "under maintenance",
    "scheduled maintenance",
    "maintenance mode",
    "temporarily (?:unavailable|offline|down)",
  ],
  [
    "be (?:right )?back(?: soon)?",
    "wartungsarbeiten",
    "wartungsmodus",
    "vorübergehend nicht",
    "en maintenance",
  ],
  [
    "temporairement indisponible",
    "en mantenimiento",
    "em manutenção",
    "in manutenzione",
    "onderhoud",
    "przerwa techniczna",
  ],
  ["техническ[а-я]+ работ", "メンテナンス", "维护中", "維護中", "점검"],
)

function anyOf(...phrases: readonly (readonly string[])[]): RegExp {
  return new RegExp(phrases.flat().join("|"), "iu")
}
