import { wordsIn } from "./resemblance.ts"

/** What a page that is there, by its status, says of itself in its title or first heading. */
export type ErrorWording =
  /** That a page is not there, in as many words. */
  | "not-found"
  /** That something is not there, which a page about such errors says too. */
  | "maybe-not-found"
  /** That the site is being worked on. */
  | "maintenance"

/** An error page has no more to say; the texts that explain errors are longer. */
const MOST_WORDS = 150
/** What says of itself that it is not found, and says so little, is not found. */
const FEW_WORDS = 60
const HEADLINE_CHARS = 60

/** Judges a short page by its headlines, in the languages that sites are mostly written in; null for any other page. */
export function errorWording(title: string, markdown: string): ErrorWording | null {
  const headlines = [title, firstHeading(markdown)]
    .flatMap(parts)
    .filter((part) => part.length <= HEADLINE_CHARS)
  const isNotFound = headlines.some((part) => NOT_FOUND.test(part) || STATUS.test(part))
  if (!isNotFound && !headlines.some((part) => MAINTENANCE.test(part))) return null
  const words = wordsIn(markdown)
  if (words > MOST_WORDS) return null
  if (!isNotFound) return "maintenance"
  const isSure = headlines.some(
    (part) => STATUS.test(part) || (NOT_FOUND.test(part) && (PAGE.test(part) || /\b4(?:04|10)\b/.test(part))),
  )
  return isSure && words <= FEW_WORDS ? "not-found" : "maybe-not-found"
}

function firstHeading(markdown: string): string {
  return /^#{1,3} (.*)$/m.exec(markdown)?.[1] ?? ""
}

/** A title often names its site too: `Page not found | Example`. */
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
  ["does not exist", "doesn['’]t exist", "no longer (?:exists|available)", "not available"],
  ["nicht gefunden", "nicht (?:mehr )?verfügbar", "existiert nicht", "nicht vorhanden"],
  ["introuvable", "non trouvée?", "n['’]existe (?:pas|plus)", "pas été trouvée?"],
  ["no encontrad[oa]", "no se (?:ha )?enc(?:ontr|uentra)", "no existe"],
  ["não encontrad[oa]", "não foi encontrad[oa]", "não existe"],
  ["non trovat[oa]", "non (?:è stata|è stato) trovat[oa]", "non esiste", "inesistente"],
  ["niet gevonden", "bestaat niet", "nie znalezion[oaey]", "nie istnieje", "nenalezen[ao]?", "neexistuje"],
  [
    "hittades inte",
    "hittar inte",
    "finns inte",
    "ikke fundet",
    "ikke funnet",
    "fin[dn]es ikke",
    "ei löyt?[yd]",
  ],
  ["nem található", "nu a fost găsit[ăa]?", "nu există", "bulunamad[ıi]", "δεν βρέθηκε", "tidak ditemukan"],
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
