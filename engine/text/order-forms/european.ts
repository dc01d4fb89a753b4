/** The parts of orders in one language; each is a pattern. */
interface Parts {
  readonly ignore: string
  readonly previous: string
  readonly orders: string
  readonly ai: string
  /** "If you are". */
  readonly condition: string
  /** "Note to". */
  readonly address: string
  /** "You are now". */
  readonly role: string
  readonly reveal: string
  readonly prompt: string
  /** "The text above"; people are also asked to ignore it, so it only counts before `answer`. */
  readonly above?: string
  /** "And answer that". */
  readonly answer?: string
  /** "Your". */
  readonly your?: string
  /** "No longer hold". */
  readonly expired?: string
  /** "As an", before a word for models, followed by `must`. */
  readonly as?: string
  readonly must?: string
  /** "Developers", followed by "want that you". */
  readonly makers?: string
  readonly want?: string
}

const LANGUAGES: Readonly<Record<string, Parts>> = {
  de: {
    ignore:
      "(?:ignorier(?:e|en|t)|missachte[nt]?|vergiss|vergessen|verwirf|verwerfen|überschreibe?n?|übergeh(?:e|en|t)|beachte[nt]?\\s+nicht|umgehe[nt]?)",
    previous:
      "(?:vorherige|bisherige|frühere|obige|vorige|vorangegangene|vorstehende|ursprüngliche|vorher|zuvor|bisher)[nrms]?",
    orders:
      "(?:anweisung|instruktion|befehl|vorgabe|regel|richtlinie|prompt|gesagt|aufgetragen|mitgeteilt)\\p{L}*",
    ai: "(?:ki|ai|llms?|sprachmodelle?n?s?|chatbots?|künstliche\\s+intelligenz(?:en)?|assistenzsysteme?)(?:-\\p{L}+)?",
    condition: "(?:wenn|falls|sofern|solltest|sollten)\\s+(?:du|sie|ihr)\\s+(?:eine?|als)",
    address:
      "(?:hinweis|achtung|anweisung|nachricht|mitteilung|notiz|wichtig|liebe|hallo)\\p{L}*[:,]?\\s+(?:(?:an|für|alle|die|den)\\s+){0,2}",
    role: "(?:du\\s+bist|sie\\s+sind)\\s+(?:jetzt|nun|ab\\s+sofort|ab\\s+jetzt|von\\s+nun\\s+an)\\s+(?:eine?|kein)\\p{L}*",
    reveal: "(?:verrat|zeig|nenn|offenbar|gib|geben|wiederhol)\\p{L}*",
    prompt: "system-?(?:prompt|anweisung|nachricht)\\p{L}*",
    above:
      "(?:(?:was|das)\\s+(?:oben|hier|davor|vorher|zuvor)|(?:das|alles)\\s+(?:obige|bisherige|vorstehende|vorherige))",
    answer: "(?:und|sondern|;)\\s*(?:antworte|sage?|schreibe?|nenne|behaupte|erkläre)n?",
    your: "(?:deine|ihre|eure)[nr]?",
    expired:
      "(?:gelten|gilt|gelte)\\s+(?:\\p{L}+\\s+)?(?:nicht\\s+mehr|nicht\\s+länger)|(?:sind|ist)\\s+(?:aufgehoben|ungültig|hinfällig|zurückgesetzt|außer\\s+kraft)",
    as: "als",
    must: "(?:musst|sollst|hast|müssen|sollen|haben|bist)\\s+(?:du|sie)",
    makers: "(?:entwickler|betreiber|programmierer)\\p{L}*",
    want: "(?:möchten|wollen|wünschen|verlangen|erwarten|bitten)",
  },
  fr: {
    ignore:
      "(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|contourne[zr]?|ne\\s+(?:tene?z|tiens|tenir)\\s+(?:pas|aucun)\\s+compte|fai(?:s|tes)\\s+abstraction)",
    previous: "(?:précédente?s?|antérieure?s?|ci-dessus|initiale?s?|préalables?|d['’]avant|d['’]origine)",
    orders: "(?:instructions?|consignes?|ordres?|directives?|règles|commandes|prompts?)",
    ai: "(?:ias?|llms?|modèles?\\s+de\\s+langage|chatbots?|(?:agent|robot)s?\\s+conversationnels?|intelligences?\\s+artificielles?|(?:assistant|agent)s?\\s+(?:ia|d['’]ia|virtuels?))",
    condition: "(?:si|lorsque)\\s+(?:tu\\s+es|vous\\s+êtes|tu\\s+étais|vous\\s+étiez)\\s+une?",
    address:
      "(?:note|message|attention|remarque|avis|instructions?|important|chers?|chères?)\\s*[:,]?\\s+(?:(?:aux|à|pour|les|tous|toutes|destinée?\\s+aux)\\s+){0,3}(?:(?:assistant|agent|robot)s?\\s+)?",
    role: "(?:tu\\s+es|vous\\s+êtes)\\s+(?:désormais|maintenant|dorénavant)\\s+une?",
    reveal: "(?:révèle|affiche|montre|donne|répète)[zr]?",
    prompt: "(?:prompt|message|instructions?)\\s+(?:du\\s+)?syst[eè]me",
    above:
      "(?:tout\\s+)?(?:ce\\s+qui\\s+(?:précède|est\\s+(?:écrit|dit)\\s+(?:plus\\s+haut|ci-dessus|avant))|le\\s+texte\\s+(?:ci-dessus|précédent))",
    answer: "(?:et|mais|;)\\s*(?:réponds|répondez|dis|dites|écris|écrivez|affirme[sz]?)",
    your: "(?:tes|vos)",
    expired:
      "(?:ne\\s+(?:sont|s['’]appliquent|valent)\\s+plus|sont\\s+(?:annulées|caduques|abrogées|réinitialisées))",
    as: "en\\s+(?:tant|qualité)\\s+(?:que|qu['’])",
    must: "(?:tu\\s+dois|vous\\s+devez|tu\\s+devras|vous\\s+devrez)",
    makers: "(?:développeurs|créateurs|concepteurs|programmeurs)",
    want: "(?:veulent|souhaitent|exigent|demandent|désirent)",
  },
  es: {
    ignore:
      "(?:ignor[ae]n?|olvid[ae]n?|olvídate|descart[ae]n?|omit[ae]n?|pas[ae]\\s+por\\s+alto|(?:haz|haga|hagan|hacer)\\s+caso\\s+omiso|no\\s+(?:tengas?|tengan|tener)\\s+en\\s+cuenta)",
    previous: "(?:anterior(?:es)?|previ[ao]s?|de\\s+arriba|precedentes?|original(?:es)?|inicial(?:es)?)",
    orders: "(?:instruccion(?:es)?|órdenes|ordenes|indicaciones|directrices|reglas|comandos|prompts?)",
    ai: "(?:ia|llms?|modelos?\\s+de\\s+lenguaje|chatbots?|inteligencias?\\s+artificial(?:es)?|(?:asistente|agente)s?\\s+(?:de\\s+)?(?:ia|virtual(?:es)?))",
    condition:
      "(?:si|cuando)\\s+(?:usted\\s+es|tú\\s+eres|eres|fueras|es\\s+usted|ustedes\\s+son)\\s+un[ao]?",
    address:
      "(?:nota|mensaje|atención|aviso|instruccion(?:es)?|importante|querid[oa]s?|estimad[oa]s?)\\s*[:,]?\\s+(?:(?:a|para|los|las|todos|todas)\\s+){0,3}",
    role: "(?:ahora|desde\\s+ahora|a\\s+partir\\s+de\\s+ahora)\\s+(?:eres|usted\\s+es|serás|actúas\\s+como)\\s+un[ao]?",
    reveal: "(?:revel[ae]|muestr[ae]|imprim[ae]|repit[ae]|d[ií])",
    prompt: "(?:prompt|mensaje|instrucciones)\\s+de(?:l)?\\s+sistema",
    above:
      "(?:todo\\s+)?(?:lo\\s+(?:anterior|de\\s+arriba|dicho|escrito|precedente)|el\\s+texto\\s+(?:anterior|de\\s+arriba))",
    answer: "(?:y|;)\\s*(?:responde|responda|contesta|conteste|di|diga|escribe|escriba|afirma|afirme)",
    your: "(?:tus|sus)",
    expired:
      "(?:ya\\s+no\\s+(?:son|valen|se\\s+aplican|rigen|sirven)|quedan\\s+(?:anuladas|sin\\s+efecto|canceladas))",
    as: "como",
    must: "(?:debes|debe|deberás|tienes\\s+que|tiene\\s+que|has\\s+de)",
    makers: "(?:desarrolladores|creadores|programadores)",
    want: "(?:quieren|desean|exigen|piden)",
  },
  it: {
    ignore:
      "(?:ignor(?:a|i|ate|are)|dimentic(?:a|hi|ate|are)|trascur(?:a|i|ate)|non\\s+(?:tenere|tieni|tenete|tenga)\\s+conto)",
    previous: "(?:precedent[ei]|anterior[ei]|(?:qui\\s+)?sopra|inizial[ei]|original[ei])",
    orders: "(?:istruzion[ei]|ordin[ei]|direttiv[ae]|regol[ae]|comand[oi]|indicazion[ei]|prompt)",
    ai: "(?:ia|ai|llm|modell[oi]\\s+(?:linguistic[oi]|di\\s+linguaggio)|chatbot|intelligenz[ae]\\s+artificial[ei]|(?:assistent[ei]|agent[ei])\\s+(?:ia|ai|virtual[ei]))",
    condition: "(?:se|qualora)\\s+(?:sei|siete|lei\\s+è|fossi|tu\\s+sia)\\s+un[ao']?",
    address:
      "(?:nota|messaggio|attenzione|avviso|istruzioni|importante|car[oiae])\\s*[:,]?\\s+(?:(?:a|ai|agli|alle|per|gli|i|le|tutti|tutte)\\s+){0,3}",
    role: "(?:ora|adesso|d['’]ora\\s+in\\s+poi)\\s+(?:sei|siete|lei\\s+è)\\s+un[ao']?",
    reveal: "(?:rivel|mostr|stamp|ripet)(?:a|i|ate|ete)",
    prompt: "(?:prompt|messaggio|istruzioni)\\s+di\\s+sistema",
    above:
      "(?:(?:tutto\\s+)?(?:quanto|quello\\s+che|ciò\\s+che)\\s+(?:è\\s+(?:stato\\s+)?)?(?:detto|scritto|precede)(?:\\s+(?:prima|sopra))?|il\\s+testo\\s+(?:precedente|sopra))",
    answer: "(?:e|ed|;)\\s*(?:rispondi|rispondete|risponda|di['’]?|dite|scrivi|scrivete)",
    your: "(?:tue|vostre|tuoi|vostri)",
    expired: "non\\s+(?:valgono|sono|si\\s+applicano)\\s+più|sono\\s+(?:annullate|revocate)",
    as: "(?:come|in\\s+quanto|in\\s+qualità\\s+di)",
    must: "(?:devi|deve|dovete|dovrai)",
    makers: "(?:sviluppatori|creatori|programmatori)",
    want: "(?:vogliono|desiderano|chiedono)",
  },
  pt: {
    ignore:
      "(?:ignor(?:e|a|em|ar)|esque[çc](?:a|am)|desconsider(?:e|a|em)|descart(?:e|a|em)|não\\s+(?:leve|levem|tenha|considere)\\s+em\\s+conta)",
    previous: "(?:anterior(?:es)?|prévi[ao]s?|acima|precedentes?|origina(?:l|is)|inicia(?:l|is))",
    orders: "(?:instruç(?:ão|ões)|ordens|diretrizes|regras|comandos|orientações|prompts?)",
    ai: "(?:ia|llms?|modelos?\\s+de\\s+linguagem|chatbots?|inteligências?\\s+artificia(?:l|is)|(?:assistente|agente)s?\\s+(?:de\\s+)?(?:ia|virtua(?:l|is)))",
    condition: "(?:se|caso)\\s+(?:você\\s+(?:é|seja|for)|tu\\s+és|fores|vocês\\s+são)\\s+uma?",
    address:
      "(?:nota|mensagem|atenção|aviso|instruções|importante|car[oa]s?|prezad[oa]s?)\\s*[:,]?\\s+(?:(?:a|aos|às|para|os|as|todos|todas)\\s+){0,3}",
    role: "(?:agora|a\\s+partir\\s+de\\s+agora)\\s+(?:você\\s+é|tu\\s+és|você\\s+será)\\s+uma?",
    reveal: "(?:revel[ae]|mostr[ae]|imprim[ae]|repit[ae])",
    prompt: "(?:prompt|mensagem|instruções)\\s+d[eo]\\s+sistema",
    above:
      "(?:tudo\\s+)?(?:o\\s+que\\s+(?:foi\\s+)?(?:dito|escrito|está)(?:\\s+(?:antes|acima))?|o\\s+texto\\s+(?:acima|anterior)|o\\s+acima)",
    answer: "(?:e|;)\\s*(?:responda|responde|diga|diz|escreva|afirme)",
    your: "(?:suas|tuas|seus|teus)",
    expired:
      "(?:(?:já\\s+)?não\\s+(?:valem|são|se\\s+aplicam)(?:\\s+mais|\\s+válidas)?|foram\\s+(?:anuladas|revogadas))",
    as: "como",
    must: "(?:(?:você|tu)\\s+)?(?:deve|deves|deverá|tem\\s+(?:de|que)|precisa)",
    makers: "(?:desenvolvedores|criadores|programadores)",
    want: "(?:querem|desejam|exigem|pedem)",
  },
  nl: {
    ignore: "(?:negeer|negeert|vergeet|sla\\s+over|sla\\s+geen\\s+acht|let\\s+niet|omzeil)",
    previous: "(?:vorige|voorgaande|bovenstaande|eerdere|voorafgaande|oorspronkelijke)",
    orders: "(?:instructies?|opdrachten|aanwijzingen|bevelen|regels|richtlijnen|prompts?)",
    ai: "(?:ai|llms?|taalmodel(?:len)?|chatbots?|kunstmatige\\s+intelligentie)(?:-\\p{L}+)?",
    condition: "(?:als|indien|mocht)\\s+(?:je|jij|u)\\s+(?:een|zelf\\s+een)",
    address:
      "(?:let\\s+op|opmerking|bericht|aandacht|instructies?|belangrijk|beste|attentie)\\s*[:,]?\\s+(?:(?:aan|voor|alle|de)\\s+){0,2}",
    role: "(?:je|jij|u)\\s+bent\\s+(?:nu|voortaan|vanaf\\s+nu)\\s+een",
    reveal: "(?:onthul|toon|laat|herhaal|geef)",
    prompt: "systeem-?(?:prompt|bericht|instructies?)",
    above:
      "(?:(?:alles\\s+)?(?:wat|dat)\\s+(?:hierboven|hiervoor|eerder|boven)|het\\s+(?:bovenstaande|voorgaande))",
    answer: "(?:en|maar|;)\\s*(?:antwoord|zeg|schrijf|beweer)",
    your: "(?:je|jouw|uw|jullie)",
    expired: "(?:gelden|zijn)\\s+(?:niet\\s+(?:meer|langer)|vervallen|ongeldig)",
    as: "als",
    must: "(?:moet|dien|hoor)\\s+(?:je|jij|u)",
    makers: "(?:ontwikkelaars|makers|programmeurs)",
    want: "(?:willen|wensen|vragen|verwachten)",
  },
  pl: {
    ignore:
      "(?:z?ignoruj(?:cie)?|zapomnij(?:cie)?|pomiń(?:cie)?|odrzuć(?:cie)?|nie\\s+(?:zważaj|zwracaj\\s+uwagi|bierz\\s+pod\\s+uwagę)(?:cie)?)",
    previous: "(?:poprzedni\\p{L}*|powyższ\\p{L}*|wcześniejsz\\p{L}*|dotychczasow\\p{L}*)",
    orders: "(?:instrukcj\\p{L}*|poleceni\\p{L}*|wytyczn\\p{L}*|rozkaz\\p{L}*|zasad\\p{L}*|prompt\\p{L}*)",
    ai: "(?:ai|si|llm|model\\p{L}*\\s+językow\\p{L}*|chatbot\\p{L}*|sztuczn\\p{L}*\\s+inteligencj\\p{L}*|(?:asystent|agent)\\p{L}*\\s+(?:ai|si))",
    condition: "(?:jeśli|jeżeli|gdy)\\s+(?:ty\\s+)?(?:jesteś|jesteście)",
    address:
      "(?:uwaga|wiadomość|informacja|notatka|ważne|drog\\p{L}*)\\s*[:,]?\\s+(?:(?:do|dla|wszystkich)\\s+){0,2}",
    role: "(?:jesteś\\s+(?:teraz|odtąd)|(?:teraz|od\\s+teraz|odtąd)\\s+jesteś)",
    reveal: "(?:ujawnij|pokaż|wypisz|powtórz|zdradź)",
    prompt: "(?:prompt\\p{L}*\\s+systemow\\p{L}*|systemow\\p{L}*\\s+prompt\\p{L}*)",
    above:
      "(?:(?:to|tego|tym|wszystko),?\\s+(?:co|czego)\\s+(?:\\p{L}+\\s+){0,2}(?:wyżej|powyżej|wcześniej)|powyższ\\p{L}*|tekst\\p{L}*\\s+powyżej)",
    answer: "(?:i|oraz|;)\\s*(?:odpowiedz|odpowiadaj|powiedz|napisz|mów)(?:cie)?",
    your: "(?:twoje|wasze|twoich|państwa)",
    expired:
      "(?:już\\s+nie\\s+obowiązuj\\p{L}*|nie\\s+obowiązuj\\p{L}*\\s+już|przestały\\s+obowiązywać|są\\s+nieważne)",
    as: "jako",
    must: "(?:musisz|masz|powinieneś|powinnaś|musicie)",
    makers: "(?:twórc\\p{L}*|programiści|deweloperzy)",
    want: "(?:chcą|życzą|oczekują|żądają)",
  },
  ru: {
    ignore: "(?:(?:про)?игнорируй(?:те)?|забудь(?:те)?|отбрось(?:те)?|не\\s+обращай(?:те)?\\s+внимания)",
    previous: "(?:предыдущ\\p{L}*|выше\\p{L}*|прежн\\p{L}*|ранее|прошл\\p{L}*|изначальн\\p{L}*)",
    orders:
      "(?:инструкци\\p{L}*|указани\\p{L}*|команд\\p{L}*|приказ\\p{L}*|правил\\p{L}*|директив\\p{L}*|промпт\\p{L}*)",
    ai: "(?:ии|llm|языков\\p{L}*\\s+модел\\p{L}*|чат-?бот\\p{L}*|искусственн\\p{L}*\\s+интеллект\\p{L}*|нейросет\\p{L}*)(?:-\\p{L}+)?",
    condition: "(?:если|когда)\\s+(?:ты|вы)\\s*[-—–]?",
    address:
      "(?:внимание|примечание|сообщение|важно|уважаем\\p{L}*|дорог\\p{L}*|инструкци\\p{L}*)\\s*[:,]?\\s+(?:(?:для|всем|всех)\\s+){0,2}",
    role: "(?:теперь|отныне)\\s+(?:ты|вы)|(?:ты|вы)\\s+(?:теперь|отныне)",
    reveal: "(?:раскрой|покажи|выведи|повтори|сообщи)(?:те)?",
    prompt: "системн\\p{L}*\\s+(?:промпт|инструкци|сообщени|подсказ)\\p{L}*",
    above:
      "(?:(?:на\\s+)?(?:то|всё|все),?\\s+что\\s+(?:\\p{L}+\\s+){0,2}(?:выше|раньше|ранее|до\\s+этого)|(?:сказанн|написанн)\\p{L}*\\s+(?:выше|ранее)|текст\\p{L}*\\s+выше)",
    answer: "(?:и|а|;)\\s*(?:ответь|отвечай|скажи|напиши|говори|утверждай)(?:те)?",
    your: "(?:твои|ваши)",
    expired:
      "(?:больше\\s+не\\s+(?:действу|име|примен)\\p{L}*|отменен\\p{L}*|отменён\\p{L}*|утратили\\s+силу)",
    as: "как",
    must: "(?:ты|вы)\\s+(?:долж\\p{L}+|обязан\\p{L}*)",
    makers: "(?:разработчик|создател|программист)\\p{L}*",
    want: "(?:хотят|желают|требуют|просят)",
  },
  uk: {
    ignore: "(?:(?:про)?ігноруй(?:те)?|забудь(?:те)?|відкинь(?:те)?|не\\s+зважай(?:те)?)",
    previous: "(?:попередн\\p{L}*|вище\\p{L}*|раніш\\p{L}*|минул\\p{L}*|початков\\p{L}*)",
    orders:
      "(?:інструкці\\p{L}*|вказів\\p{L}*|команд\\p{L}*|наказ\\p{L}*|правил\\p{L}*|директив\\p{L}*|промпт\\p{L}*)",
    ai: "(?:ші|llm|мовн\\p{L}*\\s+модел\\p{L}*|чат-?бот\\p{L}*|штучн\\p{L}*\\s+інтелект\\p{L}*|нейромереж\\p{L}*)(?:-\\p{L}+)?",
    condition: "(?:якщо|коли)\\s+(?:ти|ви)\\s*[-—–є]?",
    address:
      "(?:увага|примітка|повідомлення|важливо|шановн\\p{L}*|дорог\\p{L}*|інструкці\\p{L}*)\\s*[:,]?\\s+(?:(?:для|всім|усім|усіх|всіх)\\s+){0,2}",
    role: "(?:тепер|відтепер)\\s+(?:ти|ви)|(?:ти|ви)\\s+(?:тепер|відтепер)",
    reveal: "(?:розкрий|покажи|виведи|повтори|повідом)(?:те)?",
    prompt: "системн\\p{L}*\\s+(?:промпт|інструкці|повідомлен|підказ)\\p{L}*",
    above:
      "(?:(?:на\\s+)?(?:те|все),?\\s+що\\s+(?:\\p{L}+\\s+){0,2}(?:вище|раніше|до\\s+цього)|(?:сказан|написан)\\p{L}*\\s+(?:вище|раніше)|текст\\p{L}*\\s+вище)",
    answer: "(?:і|й|та|а|;)\\s*(?:відповідай|скажи|напиши|кажи|стверджуй)(?:те)?",
  },
  sv: {
    ignore: "(?:ignorera|glöm|bortse\\s+från|strunta\\s+i|åsidosätt)",
    previous: "(?:tidigare|föregående|ovanstående|ovan|ursprungliga)",
    orders: "(?:instruktion|anvisning|order|regl|regel|riktlinj|kommando|prompt)\\p{L}*",
    ai: "(?:ai|llm|språkmodell(?:er)?|chattbot(?:ar)?|chatbot(?:ar)?|artificiell\\s+intelligens)(?:-\\p{L}+)?",
    condition: "(?:om|ifall|när)\\s+(?:du|ni)\\s+är\\s+(?:en|ett)",
    address:
      "(?:till|obs|meddelande|anmärkning|viktigt|kära|hej|observera|instruktion\\p{L}*)[:,]?\\s+(?:(?:till|för|alla|den|de)\\s+){0,2}",
    role: "(?:du|ni)\\s+är\\s+(?:nu|hädanefter|från\\s+och\\s+med\\s+nu)\\s+(?:en|ett)",
    reveal: "(?:avslöja|visa|skriv\\s+ut|upprepa)",
    prompt: "system-?(?:prompt|meddelande|instruktion)\\p{L}*",
    above:
      "(?:(?:allt\\s+)?(?:det|vad)\\s+som\\s+(?:står|sagts|skrivits)\\s+(?:ovan|tidigare|ovanför)|texten\\s+ovan|ovanstående)",
    answer: "(?:och|men|;)\\s*(?:svara|säg|skriv|påstå)",
  },
  cs: {
    ignore: "(?:ignoruj(?:te)?|zapomeň(?:te)?|nevšímej(?:te)?\\s+si|pomiň(?:te)?|neber(?:te)?\\s+v\\s+úvahu)",
    previous: "(?:předchozí\\p{L}*|předešl\\p{L}*|dřívějš\\p{L}*|dosavadní\\p{L}*|výše|původní\\p{L}*)",
    orders: "(?:pokyn|instrukc|příkaz|pravid|směrnic|nařízen|prompt)\\p{L}*",
    ai: "(?:ai|ui|llm|jazykov\\p{L}*\\s+model\\p{L}*|chatbot\\p{L}*|uměl\\p{L}*\\s+inteligenc\\p{L}*|(?:asistent|agent)\\p{L}*\\s+(?:ai|ui))",
    condition: "(?:jestliže|pokud|když|jestli)\\s+(?:jsi|jste)|jsi-li|jste-li",
    address:
      "(?:pozor|upozornění|zpráva|poznámka|důležité|mil[íý]|vážen\\p{L}*)\\s*[:,]?\\s+(?:(?:pro|všem|všechny)\\s+){0,2}",
    role: "(?:(?:teď|nyní|odteď)\\s+(?:jsi|jste)|(?:jsi|jste)\\s+(?:teď|nyní|odteď))",
    reveal: "(?:prozraď|ukaž|vypiš|zopakuj|zobraz)(?:te)?",
    prompt: "systémov\\p{L}*\\s+(?:prompt|pokyn|instrukc|zpráv)\\p{L}*",
    above:
      "(?:(?:to|všechno|vše|toho),?\\s+co\\s+(?:\\p{L}+\\s+){0,2}(?:výše|předtím|dříve|nahoře)|text\\p{L}*\\s+výše)",
    answer: "(?:a|;)\\s*(?:odpověz|odpovídej|řekni|napiš|tvrď)(?:te)?",
  },
  ar: {
    ignore: "(?:تجاهل(?:وا|ي)?|انس(?:ى|وا)?|اهمل(?:وا)?|أهمل(?:وا)?|تخط(?:ى|وا)?)",
    previous: "(?:السابقة|أعلاه|المذكورة|الأصلية|السالفة|السابق)",
    orders: "(?:التعليمات|الأوامر|القواعد|التوجيهات|الإرشادات|تعليمات|أوامر)",
    ai: "(?:ل?ل?مساعد[\\p{L}\\p{M}]*\\s+)?(?:ل?ل?ذكاء\\s+الاصطناعي|الذكاء\\s+الاصطناعي|نموذج[\\p{L}\\p{M}]*\\s+(?:ال)?لغو[\\p{L}\\p{M}]*|ذكاء\\s+اصطناعي[\\p{L}\\p{M}]*|(?:ال)?روبوت[\\p{L}\\p{M}]*\\s+(?:ال)?(?:محادثة|دردشة))",
    condition: "(?:إذا|اذا|لو|إن)\\s+(?:كنت|كنتم|كنتِ)",
    address: "(?:ملاحظة|تنبيه|رسالة|إلى|انتباه|مهم|عزيزي)\\s*[:،]?\\s+(?:(?:إلى|لكل|جميع)\\s+){0,2}",
    role: "(?:أنت\\s+الآن|من\\s+الآن\\s+أنت|ستكون\\s+الآن)",
    reveal: "(?:اكشف|اعرض|أظهر|اطبع|كرر)",
    prompt: "(?:موجه|تعليمات|رسالة|مطالبة)\\s+النظام",
  },
}

/** Any character within a sentence. */
const GAP = "[^.!?。！？]"

const european = ({
  ignore,
  previous,
  orders,
  ai,
  condition,
  address,
  role,
  reveal,
  prompt,
  ...more
}: Parts): string[] =>
  [
    `${ignore}${GAP}{0,40}?${previous}${GAP}{0,25}?${orders}`,
    `${ignore}${GAP}{0,40}?${orders}${GAP}{0,25}?${previous}`,
    `${condition}\\s+(?:\\p{L}+\\s+)?${ai}(?!\\p{L})`,
    `${address}${ai}(?:\\s+\\p{L}+)?\\s*[:,!—-]`,
    `(?:${role})${GAP}{0,25}?(?:${ai}|verkäufer|vendeur|vendedor|venditore|verkoper|sprzedawc|продав)`,
    `${reveal}${GAP}{0,40}?${prompt}`,
    ...(more.above === undefined
      ? []
      : [`${ignore}${GAP}{0,15}?${more.above}${GAP}{0,30}?${more.answer}(?!\\p{L})`]),
    ...(more.your === undefined
      ? []
      : [`${more.your}\\s+(?:\\p{L}+\\s+){0,2}${orders}\\s+(?:${more.expired})(?!\\p{L})`]),
    ...(more.as === undefined ? [] : [`${more.as}\\s*${ai},?\\s+${more.must}(?!\\p{L})`]),
    ...(more.makers === undefined ? [] : [`${more.your}\\s+${more.makers}\\s+${more.want}(?!\\p{L})`]),
  ].map((form) => `(?<!\\p{L})${form}`)

/** Text addressed to a reader that isn't a person, without using a word for one. */
const ADDRESSED: readonly string[] = [
  "an\\s+(?:den|die|das|alle)\\s+(?:ki-)?(?:assistent(?:en)?|sprachmodelle?|modelle?)\\s*:",
  "(?:à\\s+l['’]attention\\s+(?:du|des|de\\s+l['’])|(?:au|aux)\\s)\\s*(?:modèle|assistant|ia)s?\\s*:",
  "a(?:l|\\s+los|\\s+la)\\s+(?:asistente|modelo|ia)s?\\s*:",
  "(?:al|ai|all['’]|agli)\\s*(?:assistent[ei]|modell[oi]|ia)\\s*:",
  "(?:ao|aos|à)\\s+(?:assistente|modelo|ia)s?\\s*:",
  "aan\\s+(?:de|het|alle)\\s+(?:ai-)?(?:assistent(?:en)?|taalmodel(?:len)?)\\s*:",
].map((form) => `(?:^|[.!?:»()\\]>]\\s*|\\s)${form}`)

/** Orders in languages with a similar structure. */
export const EUROPEAN: readonly string[] = [...Object.values(LANGUAGES).flatMap(european), ...ADDRESSED]
