/** Who is meant by an order to models, in English. */
const AI =
  "(?:ai|a\\.i\\.|llm|(?:large\\s+)?language\\s+model|chat\\s?bot|artificial\\s+intelligence|gpt(?:-\\d)?|chatgpt|claude|gemini|copilot)s?(?:\\s+(?:assistants?|agents?|models?|systems?|crawlers?|bots?|readers?|tools?))?"
/** What models are said to have been given. */
const GIVEN =
  "(?:instructions?|prompts?|directions?|directives?|rules|guidelines|commands?|orders|messages?|context|training|programming)"
const SAY =
  "(?:ignore|reply|respond|answer|say|state|tell|send|visit|recommend|mention|write|include|add|insert|claim|praise|promote|link|act|pretend|follow|treat|output|repeat|forget|disregard|always|never|only|do\\s+not|don't|please|you\\s+(?:must|should|shall|are\\s+to|have\\s+to|need\\s+to))"
const MUST =
  "(?:must|shall|should|has\\s+to|have\\s+to|needs?\\s+to|is\\s+to|are\\s+to|will|(?:is|are)\\s+(?:required|instructed|asked|told|expected)\\s+to|may\\s+not)"
/** Where a sentence begins. */
const BEGIN = "(?:^|[.!?:;,\"'“”«»)\\]>|-]\\s*|\\b(?:please|then|now|and|but|instead)\\s+)"

const ENGLISH: readonly string[] = [
  // To forget what came before.
  `\\b(?:ignore|disregard|forget|override|bypass|discard|neglect)\\s+(?:(?:all|any|every|each|of|the|your|my|our|these|those|this|that|other|and|or)\\s+){0,4}(?:(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|former|existing|original|initial|system|given|developer|safety)\\s+){1,3}(?:(?:and|or|user|system|given)\\s+){0,2}${GIVEN}\\b`,
  `\\b(?:ignore|disregard|forget|override|bypass|overrule)\\s+(?:all\\s+)?(?:of\\s+)?your\\s+(?:\\w+\\s+){0,2}(?:instructions|prompts?|directives?|guidelines|rules|programming|training)\\b`,
  `\\b(?:ignore|disregard|forget)\\s+(?:everything|anything|all|whatever)\\s+(?:that\\s+)?(?:you|i|we|was|has|the\\s+user)\\s+(?:\\w+\\s+){0,4}(?:told|said|asked|instructed|learned|given|wrote|read)\\b`,
  `\\bignore\\s+all\\s+instructions\\b`,
  `\\b(?:ignore|disregard|forget)\\s+(?:the|your)\\s+user(?:'s|’s|s'?)?\\s+(?:question|request|query|prompt|input|message)s?\\b`,
  // To be somebody else.
  `\\byou\\s+are\\s+(?:now|no\\s+longer)\\s+(?:an?\\s+|the\\s+)?(?:\\w+\\s+){0,2}(?:ai|assistant|language\\s+model|chatbot|llm)\\b`,
  `\\bfrom\\s+now\\s+on,?\\s+you\\s+(?:(?:will|must|shall|should|are\\s+to|have\\s+to|always)\\s+){0,2}(?:act|behave|respond|answer|reply|pretend|speak|roleplay|recommend)\\b`,
  `(?:^|[.!?:;»\\])>|#-]\\s*|\\bplease\\s+)pretend\\s+(?:to\\s+be|(?:that\\s+)?you\\s+are)\\s+(?:an?|the)\\b`,
  `\\bsystem\\s*:\\s*(?:you\\s+are|ignore|the\\s+assistant|respond|reply|act|do\\s+not|from\\s+now)\\b`,
  `\\b(?:system|admin(?:istrator)?|developer|root|safety)\\s+override\\s*[:!—-]`,
  `\\byour\\s+(?:new|real|actual|true|only)\\s+(?:task|instructions?|goal|objective|role|job|mission|purpose|directive)s?\\s+(?:is|are)(?:\\s+now)?\\b`,
  `\\byour\\s+(?:task|role|job|goal|instructions?|mission|purpose|objective)\\s+(?:is|are)\\s+now\\s+to\\b`,
  // To give away what it knows.
  `\\b(?:reveal|print|output|repeat|show|disclose|leak|send|display)\\s+(?:me\\s+|us\\s+)?(?:all\\s+of\\s+)?(?:your|the)\\s+(?:(?:full|entire|hidden|secret|initial|original)\\s+)*(?:system\\s+(?:prompt|message|instructions)|hidden\\s+instructions|initial\\s+instructions|secret\\s+instructions)\\b`,
  `\\boverrid(?:es|ing)\\s+(?:any|all|every|the)\\s+(?:earlier|previous|prior)\\s+(?:guidance|${GIVEN})\\b[^.!?]{0,20}?\\byou\\b`,
  `\\b(?:text|paragraphs?|instructions?|content|page)\\s+(?:above|before|so\\s+far)\\s+(?:is|are|was|were)\\s+(?:no\\s+longer|not|only)\\b[^.!?;]{0,30}?\\b(?:for\\s+you|your)\\b`,
  `\\b(?:begin|start|end)\\s+(?:of\\s+)?(?:the\\s+)?(?:hidden|system|secret)\\s+(?:prompt|instructions?)\\b`,
  `\\btool\\s+(?:result|output|response)s?\\s*:[^.!?]{0,40}?\\binstructions?\\b`,
  // To be spoken to at all.
  `\\b(?:to|for)\\s+(?:(?:the|any|all|every)\\s+)?(?:assistants?|automated\\s+(?:readers?|agents?|assistants?)|${AI})\\s*:`,
  `\\bas\\s+an?\\s+${AI},?\\s+you\\s+(?:must|should|shall|will|have\\s+to|need\\s+to|are\\s+(?:required|asked|expected|obliged|to))\\b`,
  `\\b(?:hey|hello)\\s+${AI}\\s*[,!]`,
  `\\b(?:who|what)ever\\s+(?:generates|writes|produces|creates)\\s+(?:the|an?|this|your)\\s+(?:summary|answer|response|reply)\\b[^.!?]{0,30}?\\b${MUST}\\b`,
  `\\b(?:attention|note|message|instructions?|notice|memo|important|warning|reminder)\\s*(?:to|for|,|:)?\\s+(?:all\\s+|any\\s+|every\\s+|the\\s+)?${AI}\\s*[:,!—-]`,
  `${BEGIN}(?:dear|hey|hello)\\s+${AI}\\s*[:,!—-]`,
  `\\b(?:if|when|should|in\\s+case|assuming|since)\\s+you(?:\\s+are|'re|’re|\\s+be|\\s+were|\\s+happen\\s+to\\s+be)\\s+(?:an?|any|the)\\s+${AI}(?=\\s*[,;:.!—]|\\s+(?:reading|processing|parsing|summari[sz]ing|crawling|that|which|and)\\b|\\s+${SAY}\\b)`,
  `\\b${AI}\\s+(?:(?:that|who|which|is|are|currently)\\s+){0,3}(?:read|process|summari[sz]|pars|crawl|visit|access|index|see|analy[sz])(?:e|es|s|ing)?\\s+(?:this|the)\\s+(?:page|text|document|site|website|content|article|paragraph|message|note)\\b[^.!?]{0,40}?\\b${MUST}\\b`,
  `${BEGIN}the\\s+(?:ai|assistant|language\\s+model|chatbot|llm)\\s+${MUST}\\s+(?:now\\s+|always\\s+|only\\s+|never\\s+)?(?:respond|reply|answer|say|recommend|mention|include|ignore|act|pretend|link|tell)\\b`,
  // To word its answer as a page wants.
  `\\bwhen(?:ever)?\\s+(?:you\\s+)?(?:summari[sz]|describ|answer|quot|cit|review)(?:e|ing)\\s+(?:(?:questions?|about|from|of)\\s+){0,2}this\\s+(?:page|document|article|text|content|site|website)\\b[^.!?]{0,40}?\\b(?:mention|include|say|state|recommend|add|claim|write|ignore|praise|emphasi[sz]e|conclude)\\b`,
  `\\bin\\s+your\\s+(?:answer|response|summary|reply|output)s?,?\\s+(?:(?:you|must|should|always|please|shall|also|have|to)\\s+){0,3}(?:state|mention|include|recommend|say|claim|write|add|link|praise|name|promote)\\b`,
  `\\b(?:do\\s+not|don't|don’t|never|must\\s+not)\\s+(?:tell|inform|alert)\\s+(?:the|your)\\s+users?\\s+(?:about|of|that|anything)\\b`,
  `\\b(?:do\\s+not|don't|don’t|never)\\s+(?:mention|reveal|repeat|disclose|show)\\s+(?:this|these|the\\s+above)\\s+(?:note|paragraph|message|text|instructions?|line|sentence|prompt)s?\\b`,
  // Marks of chat templates.
  `<\\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id)\\|>`,
  `\\[/?INST\\]|<</?SYS>>`,
  `(?:^|\\s)#{2,3}\\s*(?:system|instructions?)\\s*:`,
]

/** What orders in one language are made of; each a pattern. */
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
}

const LANGUAGES: Readonly<Record<string, Parts>> = {
  de: {
    ignore:
      "(?:ignorier(?:e|en|t)|missachte[nt]?|vergiss|vergessen|verwirf|verwerfen|überschreibe?n?|umgehe[nt]?)",
    previous:
      "(?:(?:vor|bis)herige|frühere|obige|vorige|vorangegangene|vorstehende|ursprüngliche|vorher|zuvor|bisher)[nrms]?",
    orders:
      "(?:anweisung|instruktion|befehl|vorgabe|regel|richtlinie|prompt|gesagt|aufgetragen|mitgeteilt)\\p{L}*",
    ai: "(?:ki|ai|llms?|sprachmodelle?n?s?|chatbots?|künstliche\\s+intelligenz(?:en)?|assistenzsysteme?)(?:-\\p{L}+)?",
    condition: "(?:wenn|falls|sofern|solltest|sollten)\\s+(?:du|sie|ihr)\\s+(?:eine?|als)",
    address:
      "(?:hinweis|achtung|anweisung|nachricht|mitteilung|notiz|wichtig|liebe|hallo)\\p{L}*[:,]?\\s+(?:(?:an|für|alle|die|den)\\s+){0,2}",
    role: "(?:du\\s+bist|sie\\s+sind)\\s+(?:jetzt|nun|ab\\s+sofort|ab\\s+jetzt|von\\s+nun\\s+an)\\s+(?:eine?|kein)\\p{L}*",
    reveal: "(?:verrat|zeig|nenn|offenbar|gib|geben|wiederhol)\\p{L}*",
    prompt: "system-?(?:prompt|anweisung|nachricht)\\p{L}*",
  },
  fr: {
    ignore: "(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|contourne[zr]?|ne\\s+tene?[zs]\\s+pas\\s+compte)",
    previous: "(?:précédente?s?|antérieure?s?|ci-dessus|initiale?s?|préalables?|d['’]avant|d['’]origine)",
    orders: "(?:instructions?|consignes?|ordres?|directives?|règles|commandes|prompts?)",
    ai: "(?:ias?|llms?|modèles?\\s+de\\s+langage|chatbots?|intelligences?\\s+artificielles?|(?:assistant|agent)s?\\s+(?:ia|d['’]ia|virtuels?))",
    condition: "(?:si|lorsque)\\s+(?:tu\\s+es|vous\\s+êtes|tu\\s+étais|vous\\s+étiez)\\s+une?",
    address:
      "(?:note|message|attention|remarque|avis|instructions?|important|chers?|chères?)\\s*[:,]?\\s+(?:(?:aux|à|pour|les|tous|toutes|destinée?\\s+aux)\\s+){0,3}(?:(?:assistant|agent|robot)s?\\s+)?",
    role: "(?:tu\\s+es|vous\\s+êtes)\\s+(?:désormais|maintenant|dorénavant)\\s+une?",
    reveal: "(?:révèle|affiche|montre|donne|répète)[zr]?",
    prompt: "(?:prompt|message|instructions?)\\s+(?:du\\s+)?syst[eè]me",
  },
  es: {
    ignore: "(?:ignor[ae]n?|olvid[ae]n?|olvídate|descart[ae]n?|omit[ae]n?|pas[ae]\\s+por\\s+alto)",
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
  },
  it: {
    ignore: "(?:ignor(?:a|i|ate|are)|dimentic(?:a|hi|ate|are)|trascur(?:a|i|ate))",
    previous: "(?:precedent[ei]|anterior[ei]|(?:qui\\s+)?sopra|inizial[ei]|original[ei])",
    orders: "(?:istruzion[ei]|ordin[ei]|direttiv[ae]|regol[ae]|comand[oi]|indicazion[ei]|prompt)",
    ai: "(?:ia|ai|llm|modell[oi]\\s+(?:linguistic[oi]|di\\s+linguaggio)|chatbot|intelligenz[ae]\\s+artificial[ei]|(?:assistent[ei]|agent[ei])\\s+(?:ia|ai|virtual[ei]))",
    condition: "(?:se|qualora)\\s+(?:sei|siete|lei\\s+è|fossi|tu\\s+sia)\\s+un[ao']?",
    address:
      "(?:nota|messaggio|attenzione|avviso|istruzioni|importante|car[oiae])\\s*[:,]?\\s+(?:(?:a|ai|agli|alle|per|gli|i|le|tutti|tutte)\\s+){0,3}",
    role: "(?:ora|adesso|d['’]ora\\s+in\\s+poi)\\s+(?:sei|siete|lei\\s+è)\\s+un[ao']?",
    reveal: "(?:rivel|mostr|stamp|ripet)(?:a|i|ate|ete)",
    prompt: "(?:prompt|messaggio|istruzioni)\\s+di\\s+sistema",
  },
  pt: {
    ignore: "(?:ignor(?:e|a|em|ar)|esque[çc](?:a|am)|desconsider(?:e|a|em)|descart(?:e|a|em))",
    previous: "(?:anterior(?:es)?|prévi[ao]s?|acima|precedentes?|origina(?:l|is)|inicia(?:l|is))",
    orders: "(?:instruç(?:ão|ões)|ordens|diretrizes|regras|comandos|orientações|prompts?)",
    ai: "(?:ia|llms?|modelos?\\s+de\\s+linguagem|chatbots?|inteligências?\\s+artificia(?:l|is)|(?:assistente|agente)s?\\s+(?:de\\s+)?(?:ia|virtua(?:l|is)))",
    condition: "(?:se|caso)\\s+(?:você\\s+(?:é|seja|for)|tu\\s+és|fores|vocês\\s+são)\\s+uma?",
    address:
      "(?:nota|mensagem|atenção|aviso|instruções|importante|car[oa]s?|prezad[oa]s?)\\s*[:,]?\\s+(?:(?:a|aos|às|para|os|as|todos|todas)\\s+){0,3}",
    role: "(?:agora|a\\s+partir\\s+de\\s+agora)\\s+(?:você\\s+é|tu\\s+és|você\\s+será)\\s+uma?",
    reveal: "(?:revel[ae]|mostr[ae]|imprim[ae]|repit[ae])",
    prompt: "(?:prompt|mensagem|instruções)\\s+d[eo]\\s+sistema",
  },
  nl: {
    ignore: "(?:negeer|negeert|vergeet|sla\\s+over|omzeil)",
    previous: "(?:vorige|voorgaande|bovenstaande|eerdere|voorafgaande|oorspronkelijke)",
    orders: "(?:instructies?|opdrachten|aanwijzingen|bevelen|regels|richtlijnen|prompts?)",
    ai: "(?:ai|llms?|taalmodel(?:len)?|chatbots?|kunstmatige\\s+intelligentie)(?:-\\p{L}+)?",
    condition: "(?:als|indien|mocht)\\s+(?:je|jij|u)\\s+(?:een|zelf\\s+een)",
    address:
      "(?:let\\s+op|opmerking|bericht|aandacht|instructies?|belangrijk|beste|attentie)\\s*[:,]?\\s+(?:(?:aan|voor|alle|de)\\s+){0,2}",
    role: "(?:je|jij|u)\\s+bent\\s+(?:nu|voortaan|vanaf\\s+nu)\\s+een",
    reveal: "(?:onthul|toon|laat|herhaal|geef)",
    prompt: "systeem-?(?:prompt|bericht|instructies?)",
  },
  pl: {
    ignore: "(?:z?ignoruj(?:cie)?|zapomnij(?:cie)?|pomiń(?:cie)?|odrzuć(?:cie)?)",
    previous: "(?:poprzedni\\p{L}*|powyższ\\p{L}*|wcześniejsz\\p{L}*|dotychczasow\\p{L}*)",
    orders: "(?:instrukcj\\p{L}*|poleceni\\p{L}*|wytyczn\\p{L}*|rozkaz\\p{L}*|zasad\\p{L}*|prompt\\p{L}*)",
    ai: "(?:ai|si|llm|model\\p{L}*\\s+językow\\p{L}*|chatbot\\p{L}*|sztuczn\\p{L}*\\s+inteligencj\\p{L}*|(?:asystent|agent)\\p{L}*\\s+(?:ai|si))",
    condition: "(?:jeśli|jeżeli|gdy)\\s+(?:ty\\s+)?(?:jesteś|jesteście)",
    address:
      "(?:uwaga|wiadomość|informacja|notatka|ważne|drog\\p{L}*)\\s*[:,]?\\s+(?:(?:do|dla|wszystkich)\\s+){0,2}",
    role: "(?:jesteś\\s+(?:teraz|odtąd)|(?:teraz|od\\s+teraz|odtąd)\\s+jesteś)",
    reveal: "(?:ujawnij|pokaż|wypisz|powtórz|zdradź)",
    prompt: "(?:prompt\\p{L}*\\s+systemow\\p{L}*|systemow\\p{L}*\\s+prompt\\p{L}*)",
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
  },
  ar: {
    ignore: "(?:تجاهل(?:وا|ي)?|انس(?:ى|وا)?|اهمل(?:وا)?|أهمل(?:وا)?|تخط(?:ى|وا)?)",
    previous: "(?:السابقة|أعلاه|المذكورة|الأصلية|السالفة|السابق)",
    orders: "(?:التعليمات|الأوامر|القواعد|التوجيهات|الإرشادات|تعليمات|أوامر)",
    ai: "(?:ل?ل?مساعد\\p{L}*\\s+)?(?:ل?ل?ذكاء\\s+الاصطناعي|الذكاء\\s+الاصطناعي|نموذج\\p{L}*\\s+(?:ال)?لغو\\p{L}*|ذكاء\\s+اصطناعي\\p{L}*|(?:ال)?روبوت\\p{L}*\\s+(?:ال)?(?:محادثة|دردشة))",
    condition: "(?:إذا|اذا|لو|إن)\\s+(?:كنت|كنتم|كنتِ)",
    address: "(?:ملاحظة|تنبيه|رسالة|إلى|انتباه|مهم|عزيزي)\\s*[:،]?\\s+(?:(?:إلى|لكل|جميع)\\s+){0,2}",
    role: "(?:أنت\\s+الآن|من\\s+الآن\\s+أنت|ستكون\\s+الآن)",
    reveal: "(?:اكشف|اعرض|أظهر|اطبع|كرر)",
    prompt: "(?:موجه|تعليمات|رسالة|مطالبة)\\s+النظام",
  },
}

/** To a reader who is no person, without a word for one. */
const ADDRESSED: readonly string[] = [
  "an\\s+(?:den|die|das|alle)\\s+(?:ki-)?(?:assistent(?:en)?|sprachmodelle?|modelle?)\\s*:",
  "(?:à\\s+l['’]attention\\s+(?:du|des|de\\s+l['’])|(?:au|aux)\\s)\\s*(?:modèle|assistant|ia)s?\\s*:",
  "a(?:l|\\s+los|\\s+la)\\s+(?:asistente|modelo|ia)s?\\s*:",
  "(?:al|ai|all['’]|agli)\\s*(?:assistent[ei]|modell[oi]|ia)\\s*:",
  "(?:ao|aos|à)\\s+(?:assistente|modelo|ia)s?\\s*:",
  "aan\\s+(?:de|het|alle)\\s+(?:ai-)?(?:assistent(?:en)?|taalmodel(?:len)?)\\s*:",
].map((form) => `(?:^|[.!?:»()\\]>]\\s*|\\s)${form}`)

/** Languages whose verb stands last. */
const VERB_LAST: readonly string[] = [
  "(?:önceki|yukarıdaki|daha\\s+önceki)[^.!?]{0,20}?(?:talimat|komut|yönerge|kural|emir)\\p{L}*[^.!?]{0,12}?(?:yok\\s+say|unut|görmezden\\s+gel|dikkate\\s+alma|göz\\s+ardı)",
  "(?:yapay\\s+zek[âa]|dil\\s+modeli|sohbet\\s+botu)\\p{L}*(?:\\s+\\p{L}+){0,2}\\s+(?:için|dikkatine)(?:\\s+\\p{L}+)?\\s*[:,]",
  "(?:bir\\s+)?(?:yapay\\s+zek[âa]|dil\\s+modeli|sohbet\\s+botu)(?:ysan(?:ız)?|\\s+isen(?:iz)?)",
  "sistem\\s+(?:istemi|komut|mesaj)\\p{L}*[^.!?]{0,20}?(?:göster|yazdır|açıkla|söyle)",
  "(?:이전|위|앞|지금까지|기존)(?:의|에)?[^.!?]{0,12}?(?:지시|명령|지침|프롬프트|규칙)[^.!?]{0,10}?(?:무시|잊|따르지)",
  "(?:AI|인공지능|언어\\s*모델|챗봇)\\s*(?:어시스턴트|에이전트|모델|비서)?(?:는|은|들은|들에게|에게|께)[^.!?]{0,50}?(?:하세요|하십시오|해야|하라|추천|마세요|주세요)",
  "(?:당신|너|귀하)(?:이|가|은|는)\\s*[^.!?]{0,10}?(?:언어\\s*모델|AI|인공지능|챗봇)(?:이라면|라면|인\\s+경우|이면)",
  "시스템\\s*프롬프트[^.!?]{0,12}?(?:출력|공개|보여|알려)",
  "(?:पिछले|उपरोक्त|ऊपर\\s+(?:के|दिए\\s+गए)|पहले\\s+(?:के|दिए\\s+गए))[^।!?]{0,15}?(?:निर्देश|आदेश|हिदायत|नियम)[^।!?]{0,10}?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)",
  "(?:एआई|AI|भाषा\\s+मॉडल|चैटबॉट|कृत्रिम\\s+बुद्धि)[^।!?]{0,12}?के\\s+लिए\\s+(?:सूचना|नोट|निर्देश|संदेश)",
  "(?:यदि|अगर)\\s+(?:आप|तुम)\\s+(?:एक\\s+)?(?:एआई|AI|भाषा\\s+मॉडल|चैटबॉट|कृत्रिम)",
  "सिस्टम\\s+(?:प्रॉम्प्ट|निर्देश)[^।!?]{0,15}?(?:दिखा|बता|प्रकट)",
]

/** Within one sentence. */
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
}: Parts): string[] =>
  [
    `${ignore}${GAP}{0,40}?${previous}${GAP}{0,25}?${orders}`,
    `${ignore}${GAP}{0,40}?${orders}${GAP}{0,25}?${previous}`,
    `${condition}\\s+(?:\\p{L}+\\s+)?${ai}(?!\\p{L})`,
    `${address}${ai}(?:\\s+\\p{L}+)?\\s*[:,!—-]`,
    `(?:${role})${GAP}{0,25}?(?:${ai}|verkäufer|vendeur|vendedor|venditore|verkoper|sprzedawc|продав)`,
    `${reveal}${GAP}{0,40}?${prompt}`,
  ].map((form) => `(?<!\\p{L})${form}`)

/** Where words are not parted: what is to be forgotten comes before or after. */
const EAST_ASIAN: readonly string[] = [
  "(?:忽略|无视|無視|忘记|忘掉|不要理会|忽視)[^。！？]{0,12}(?:之前|以上|先前|前面|上述|此前|上面|原有)[^。！？]{0,8}(?:指令|指示|提示|命令|规则|規則|要求|内容)",
  "(?:忽略|无视|忘记)[^。！？]{0,8}(?:所有|全部|一切)(?:的)?(?:指令|指示|提示|命令)",
  "(?:如果|假如|若|要是)(?:你|您)是[^。！？]{0,8}(?:语言模型|語言模型|人工智能|人工智慧|AI|聊天机器人|大模型)",
  "(?:AI|人工智能|语言模型|大模型|聊天机器人|智能)(?:助手|助理|模型|代理|系统)?(?:请|請)?(?:注意|必须|務必|务必)",
  "(?:从现在起|从现在开始|现在)[，,]?(?:你|您)(?:是|将扮演|要扮演)",
  "(?:透露|显示|输出|泄露|告诉)[^。！？]{0,12}系统(?:提示|指令|消息)",
  "(?:これまで|以前|上記|先|前|今まで|以上)の[^。！？]{0,8}(?:指示|命令|指令|プロンプト|ルール|規則)[^。！？]{0,12}(?:無視|忘れ|破棄|従わ)",
  "(?:あなたが|もし|君が)[^。！？]{0,10}(?:言語モデル|AI|人工知能|チャットボット|LLM)(?:なら|であれば|の場合|だった)",
  "(?:AI|人工知能|言語モデル|チャットボット)(?:アシスタント|エージェント|モデル)?(?:へ|に告ぐ|の皆さん|各位)(?:の指示)?[：:、]",
  "(?:今から|これから|今後)(?:あなた|君)は[^。！？]{0,20}(?:として|です|だ)",
  "システムプロンプト[^。！？]{0,12}(?:表示|出力|教え|明か|公開)",
]

/** The forms of orders to models, case aside; each takes linear time on text whose blanks stand alone. */
export const ORDER_FORMS: readonly RegExp[] = [
  ...ENGLISH,
  ...Object.values(LANGUAGES).flatMap(european),
  ...EAST_ASIAN,
  ...ADDRESSED,
  ...VERB_LAST,
].map((form) => new RegExp(form, "iu"))
