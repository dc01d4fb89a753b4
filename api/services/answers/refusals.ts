// The ways models say that they were shown no answer, when they do not use the word they were asked for.

const SOURCES: Readonly<Record<string, string>> = {
  en: "(?:the |these |those |any of the |none of the )?(?:given |provided |available |supplied |above |following |retrieved )*(?:sources?|passages?|documents?|documentation|texts?|contexts?|information|excerpts?|materials?|content|pages?|search results?|results?|references?)(?: (?:given|provided|available|above|supplied|shown|i have|listed))*",
}
const REFUSALS: readonly RegExp[] = [
  // English
  new RegExp(
    `^(?:unfortunately|sorry|i(?:['’]m| am) (?:sorry|afraid)|however|based on ${SOURCES["en"]!}|from ${SOURCES["en"]!}|according to ${SOURCES["en"]!})?[\\s,]*(?:but )?(?:that )?${SOURCES["en"]!} (?:do(?:es)? not|don['’]t|doesn['’]t|did not|didn['’]t|cannot|can['’]t|fails? to|lacks?|never) ?(?:explicitly |directly |specifically |actually |seem to |appear to |clearly )*(?:contain|mention|state|provide|include|specify|say|answer|address|give|describe|discuss|offer|have|cover|indicate|tell|list|any|enough|sufficient|information)`,
    "i",
  ),
  /^(?:none|neither|nothing|no part) (?:of|in|from) (?:the|these|those)\b.{0,60}\b(?:sources?|passages?|documents?|texts?|contexts?|excerpts?|pages?|results?)\b/i,
  /^(?:unfortunately,? |sorry,? (?:but )?|i(?:['’]m| am) (?:sorry|afraid),? (?:but )?)?(?:there (?:is|was|are) no(?:t any|t enough)?|no|i (?:could|can|did)(?: not|n['’]t) find(?: any)?|i found no|i have no)\b.{0,40}\b(?:information|mention|answer|details?|data|evidence|references?)\b/i,
  /^(?:unfortunately,? |sorry,? (?:but )?|i(?:['’]m| am) (?:sorry|afraid),? (?:but )?)?(?:i|we) (?:cannot|can['’]t|can not|am unable to|do not|don['’]t|could not|couldn['’]t|am not able to|have no way to)\b.{0,30}\b(?:answer|know|determine|find|tell|provide|say|help)\b/i,
  /^(?:the|this|your) (?:question|query|request|answer)\b.{0,60}\b(?:cannot|can['’]t|could not|is not|isn['’]t) (?:be )?(?:answered|determined|found|addressed|available|given|provided|in the)\b/i,
  /^it (?:is|was) not (?:possible|specified|stated|mentioned|clear)\b.{0,80}\b(?:sources?|passages?|documents?|texts?|contexts?|information|pages?)\b/i,
  /^(?:not (?:enough|sufficient) information|insufficient information|n\/a|unknown|not (?:found|mentioned|specified|stated|available)(?: in\b.*)?)[\s.!]*$/i,
  // German
  /\b(?:die |den |der |diese[nr]? |in den |aus den )?(?:quellen?|texte?n?|dokumente?n?|auszüge?n?|passagen?|informationen|seiten|abschnitte?n?|unterlagen)\b.{0,60}\b(?:nicht|keine?n?|keinerlei)\b/i,
  /^(?:leider |es tut mir leid,? )?(?:ich (?:kann|weiß|konnte|habe)|es (?:gibt|liegen|wird|ist)|dazu|darüber|hierzu|keine?)\b.{0,60}\b(?:nicht|keine?n?|keinerlei)\b.{0,60}\b(?:beantwort\w*|information\w*|angaben?|antwort|finden|gefunden|quellen?|texte?n?|erwähnt)\b/i,
  /^(?:leider )?keine (?:informationen|angaben|antwort)\b/i,
  // French
  /\b(?:les |ces |aucune? des? |la |le )?(?:sources?|textes?|documents?|passages?|extraits?|pages?|informations?|contexte)\b.{0,40}\b(?:ne|n['’])\s?.{0,30}\b(?:pas|aucune?|rien)\b/i,
  /^(?:malheureusement,? |désolée?,? )?(?:aucune? (?:information|réponse|source|mention)|je ne (?:peux|sais|trouve|dispose)|il n['’]y a (?:pas|aucune?))\b/i,
  // Spanish
  /\b(?:las? |los? |el |estas? |estos? |ninguna? de (?:las|los) )?(?:fuentes?|textos?|documentos?|pasajes?|fragmentos?|páginas?|información|contexto)\b.{0,40}\bno (?:contienen?|mencionan?|proporcionan?|incluyen?|indican?|dicen?|especifican?|responden?|ofrecen?|hay|tienen?|se)\b/i,
  /^(?:lamentablemente,? |lo siento,? (?:pero )?)?(?:no (?:hay|se (?:menciona|encuentra|encontró|especifica)|puedo|sé|tengo|encuentro)|ninguna de las)\b.{0,80}\b(?:información|respuesta|responder|respuestas|fuentes?|datos|textos?|documentos?)\b/i,
  // Italian
  /\b(?:le |i |il |la |nessuna delle |queste |questi )?(?:fonti|fonte|testi|testo|documenti|passaggi|pagine|informazioni)\b.{0,40}\bnon (?:contengono|contiene|menzionano|forniscono|fornisce|indicano|specificano|riportano|rispondono|dicono)\b/i,
  /^(?:purtroppo,? |mi dispiace,? (?:ma )?)?(?:non (?:ci sono|c['’]è|posso|so|ho trovato|è (?:possibile|specificato|menzionato))|nessuna (?:informazione|fonte|risposta))\b/i,
  // Portuguese
  /\b(?:as |os |nenhuma das |estas |estes |o |a )?(?:fontes?|textos?|documentos?|trechos?|passagens?|páginas?|informações|contexto)\b.{0,40}\bnão (?:contêm|contém|mencionam|fornecem|incluem|indicam|especificam|respondem|dizem|informam|apresentam)\b/i,
  /^(?:infelizmente,? |desculpe,? (?:mas )?)?(?:não (?:há|posso|sei|encontrei|existe|é possível)|nenhuma (?:informação|resposta|fonte))\b/i,
  // Dutch
  /\b(?:de |deze |geen van de )?(?:bronnen|bron|teksten?|documenten|passages|pagina['’]?s|informatie)\b.{0,50}\b(?:niet|geen)\b/i,
  /^(?:helaas |sorry,? )?(?:er is geen|ik (?:kan|weet|heb)|geen (?:informatie|antwoord))\b.{0,60}\b(?:niet|geen|informatie|antwoord|beantwoorden)\b/i,
  // Swedish, Danish, Norwegian
  /\b(?:källorna|källor|texterna|dokumenten|kilderne|kildene|teksterne|tekstene|dokumenterne|dokumentene)\b.{0,40}\b(?:inte|inga|ingen|ikke|ingen)\b/i,
  // Polish, Czech
  /(?:źródła|źródłach|teksty|dokumenty|fragmenty|zdroje|zdrojích|texty)\s.{0,30}(?:\bnie\s|neobsahuj|neuvád|nezmiňuj|neposkytuj)/iu,
  // Russian, Ukrainian
  /(?:источник|текст|документ|отрыв|фрагмент|джерел|контекст)\S*\s.{0,40}(?:\bне\s|не (?:содерж|упомина|указ|сообща|говор|дают|містя|згаду)|нет|немає|отсутству)/iu,
  /^(?:к сожалению,? )?(?:нет (?:информации|ответа|данных)|я не (?:могу|знаю|нашел|нашёл)|информаци\S+ .{0,40}(?:нет|не найден|отсутству))/iu,
  // Turkish
  /(?:kaynak|metin|belge|pasaj|bağlam)\S*\s.{0,80}(?:içermiyor|içermemektedir|bulunmuyor|bulunmamaktadır|yer almıyor|yer almamaktadır|belirtilmemiş|bahsetmiyor|yok)/iu,
  // Chinese, Japanese, Korean
  /(?:来源|來源|资料|資料|文档|文件|文本|段落|上下文|信息|原文|内容)[^。]{0,30}(?:没有|沒有|未|并不|不包含|不包括|无法|無法)/u,
  /^(?:抱歉|对不起|很遗憾|遗憾的是)?[，,]?\s*(?:我)?(?:无法|無法|不能|没有找到|未找到)[^。]{0,20}(?:回答|答案|信息|確定|确定|找到)/u,
  /(?:出典|ソース|情報源|資料|文書|文章|テキスト|情報|文脈)[^。]{0,40}(?:含まれてい(?:ません|ない)|記載され?てい(?:ません|ない)|記載があり?ません|記載はあり?ません|見つかり?ません|ありません|書かれていません|言及され?てい(?:ません|ない)|述べられていません)/u,
  /(?:출처|문서|자료|텍스트|정보|본문|문맥)[^.。]{0,40}(?:없습니다|않습니다|않았습니다|않는다|없다|없음)/u,
  // Arabic, Hindi
  /(?:المصادر|النصوص|المستندات|الوثائق|المعلومات|السياق)[^.؟]{0,30}(?:لا |لم |ليس)|^(?:لا (?:توجد|تحتوي|تذكر|تتضمن|يمكنني)|لم (?:تذكر|يتم|أجد))[^.؟]{0,60}(?:المصادر|معلومات|النصوص|إجابة|الإجابة)/u,
  /(?:स्रोत|स्रोतों|दस्तावेज़|दस्तावेज|पाठ|जानकारी|संदर्भ)[^।]{0,60}(?:नहीं|उपलब्ध नहीं)/u,
]

/** Whether a reply is the word that says there is no answer. */
export const isNone = (reply: string): boolean => /^\W*NONE\W*$/i.test(reply)

/** Whether a sentence, without its citations, says that the sources contain no answer. */
export const isRefusal = (sentence: string): boolean => {
  const text = sentence.trim()
  return isNone(text) || REFUSALS.some((refusal) => refusal.test(text))
}
