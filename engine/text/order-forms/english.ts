/** Words for the addressee of an order to models, in English. */
const AI =
  "(?:ai|a\\.i\\.|llm|(?:large\\s+)?language\\s+model|chat\\s?bot|artificial\\s+intelligence|gpt(?:-\\d)?|chatgpt|claude|gemini|copilot)s?(?:\\s+(?:assistants?|agents?|models?|systems?|crawlers?|bots?|readers?|tools?|reviewers?|graders?|raters?|summari[sz]ers?))?"
/** Names for the instructions that models are given. */
const GIVEN =
  "(?:instructions?|prompts?|directions?|directives?|rules|guidelines|commands?|orders|messages?|context|training|programming)"
const SAY =
  "(?:ignore|reply|respond|answer|say|state|tell|send|visit|recommend|mention|write|include|add|insert|claim|praise|promote|link|act|pretend|follow|treat|output|repeat|forget|disregard|always|never|only|do\\s+not|don't|please|you\\s+(?:must|should|shall|are\\s+to|have\\s+to|need\\s+to))"
const MUST =
  "(?:must|shall|should|has\\s+to|have\\s+to|needs?\\s+to|is\\s+to|are\\s+to|will|(?:is|are)\\s+(?:required|instructed|asked|told|expected)\\s+to|may\\s+not)"
/** Where a sentence begins. */
const BEGIN = "(?:^|[.!?:;,(\"'“”«»)\\]>|-]\\s*|\\b(?:please|then|now|and|but|instead)\\s+)"

/** Orders in English. */
export const ENGLISH: readonly string[] = [
  // Orders to forget earlier text.
  `\\b(?:ignore|disregard|forget|override|bypass|discard|neglect)\\s+(?:(?:all|any|every|each|of|the|your|my|our|these|those|this|that|other|and|or)\\s+){0,4}(?:(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|former|existing|original|initial|system|given|developer|safety)\\s+){1,3}(?:(?:and|or|user|system|given)\\s+){0,2}${GIVEN}\\b`,
  `\\b(?:ignore|disregard|forget|override|bypass|overrule)\\s+(?:all\\s+)?(?:of\\s+)?your\\s+(?:\\w+\\s+){0,2}(?:instructions|prompts?|directives?|guidelines|rules|programming|training)\\b`,
  `\\b(?:ignore|disregard|forget)\\s+(?:everything|anything|all|whatever)\\s+(?:that\\s+)?(?:you|i|we|was|has|the\\s+user)\\s+(?:\\w+\\s+){0,4}(?:told|said|asked|instructed|learned|given|wrote|read)\\b`,
  `\\bignore\\s+all\\s+instructions\\b`,
  `\\b(?:ignore|disregard|forget)\\s+(?:the|your)\\s+user(?:'s|’s|s'?)?\\s+(?:question|request|query|prompt|input|message)s?\\b`,
  // Orders to act as another character.
  `\\byou\\s+are\\s+(?:now|no\\s+longer)\\s+(?:an?\\s+|the\\s+)?(?:\\w+\\s+){0,2}(?:ai|assistant|language\\s+model|chatbot|llm)\\b`,
  `\\bfrom\\s+now\\s+on,?\\s+you\\s+(?:(?:will|must|shall|should|are\\s+to|have\\s+to|always)\\s+){0,2}(?:act|behave|respond|answer|reply|pretend|speak|roleplay|recommend)\\b`,
  `(?:^|[.!?:;»\\])>|#-]\\s*|\\bplease\\s+)pretend\\s+(?:to\\s+be|(?:that\\s+)?you\\s+are)\\s+(?:an?|the)\\b`,
  `\\bsystem\\s*:\\s*(?:you\\s+are|ignore|the\\s+assistant|respond|reply|act|do\\s+not|from\\s+now)\\b`,
  `\\b(?:system|admin(?:istrator)?|developer|root|safety)\\s+override\\s*[:!—-]`,
  `\\byour\\s+(?:new|real|actual|true|only)\\s+(?:task|instructions?|goal|objective|role|job|mission|purpose|directive)s?\\s+(?:is|are)(?:\\s+now)?\\b`,
  `\\byour\\s+(?:task|role|job|goal|instructions?|mission|purpose|objective)\\s+(?:is|are)\\s+now\\s+to\\b`,
  // Orders to reveal what the model knows.
  `\\b(?:reveal|print|output|repeat|show|disclose|leak|send|display)\\s+(?:me\\s+|us\\s+)?(?:all\\s+of\\s+)?(?:your|the)\\s+(?:(?:full|entire|hidden|secret|initial|original)\\s+)*(?:system\\s+(?:prompt|message|instructions)|hidden\\s+instructions|initial\\s+instructions|secret\\s+instructions)\\b`,
  `\\boverrid(?:es|ing)\\s+(?:any|all|every|the)\\s+(?:earlier|previous|prior)\\s+(?:guidance|${GIVEN})\\b[^.!?]{0,20}?\\byou\\b`,
  `\\b(?:text|paragraphs?|instructions?|content|page)\\s+(?:above|before|so\\s+far)\\s+(?:is|are|was|were)\\s+(?:no\\s+longer|not|only)\\b[^.!?;]{0,30}?\\b(?:for\\s+you|your)\\b`,
  `\\b(?:begin|start|end)\\s+(?:of\\s+)?(?:the\\s+)?(?:hidden|system|secret)\\s+(?:prompt|instructions?)\\b`,
  `\\btool\\s+(?:result|output|response)s?\\s*:[^.!?]{0,40}?\\binstructions?\\b`,
  // Any text that addresses a model.
  `\\b(?:to|for)\\s+(?:(?:the|any|all|every)\\s+)?(?:assistants?|automated\\s+(?:readers?|agents?|assistants?)|${AI})\\s*:`,
  `\\bas\\s+an?\\s+${AI},?\\s+you\\s+(?:must|should|shall|will|have\\s+to|need\\s+to|are\\s+(?:required|asked|expected|obliged|to))\\b`,
  `\\b(?:hey|hello)\\s+${AI}\\s*[,!]`,
  `\\b(?:who|what)ever\\s+(?:generates|writes|produces|creates)\\s+(?:the|an?|this|your)\\s+(?:summary|answer|response|reply)\\b[^.!?]{0,30}?\\b${MUST}\\b`,
  `\\b(?:attention|note|message|instructions?|notice|memo|important|warning|reminder)\\s*(?:to|for|,|:)?\\s+(?:all\\s+|any\\s+|every\\s+|the\\s+)?${AI}\\s*[:,!—-]`,
  `${BEGIN}(?:dear|hey|hello)\\s+${AI}\\s*[:,!—-]`,
  `\\b(?:if|when|should|in\\s+case|assuming|since)\\s+you(?:\\s+are|'re|’re|\\s+be|\\s+were|\\s+happen\\s+to\\s+be)\\s+(?:an?|any|the)\\s+${AI}(?=\\s*[,;:.!—]|\\s+(?:reading|processing|parsing|summari[sz]ing|crawling|that|which|and)\\b|\\s+${SAY}\\b)`,
  `\\b${AI}\\s+(?:(?:that|who|which|is|are|currently)\\s+){0,3}(?:read|process|summari[sz]|pars|crawl|visit|access|index|see|analy[sz])(?:e|es|s|ing)?\\s+(?:this|the)\\s+(?:page|text|document|site|website|content|article|paragraph|message|note)\\b[^.!?]{0,40}?\\b${MUST}\\b`,
  `${BEGIN}the\\s+(?:ai|assistant|language\\s+model|chatbot|llm)\\s+${MUST}\\s+(?:now\\s+|always\\s+|only\\s+|never\\s+)?(?:respond|reply|answer|say|recommend|mention|include|ignore|act|pretend|link|tell)\\b`,
  // Orders to word the answer as a page wants.
  `\\bwhen(?:ever)?\\s+(?:you\\s+)?(?:summari[sz]|describ|answer|quot|cit|review)(?:e|ing)\\s+(?:(?:questions?|about|from|of)\\s+){0,2}this\\s+(?:page|document|article|text|content|site|website)\\b[^.!?]{0,40}?\\b(?:mention|include|say|state|recommend|add|claim|write|ignore|praise|emphasi[sz]e|conclude)\\b`,
  `\\bin\\s+your\\s+(?:answer|response|summary|reply|output)s?,?\\s+(?:(?:you|must|should|always|please|shall|also|have|to)\\s+){0,3}(?:state|mention|include|recommend|say|claim|write|add|link|praise|name|promote)\\b`,
  `\\b(?:do\\s+not|don't|don’t|never|must\\s+not)\\s+(?:tell|inform|alert)\\s+(?:the|your)\\s+users?\\s+(?:about|of|that|anything)\\b`,
  `\\b(?:do\\s+not|don't|don’t|never)\\s+(?:mention|reveal|repeat|disclose|show)\\s+(?:this|these|the\\s+above)\\s+(?:note|paragraph|message|text|instructions?|line|sentence|prompt)s?\\b`,
  // Claims that others instruct the model, or that the model has lost something.
  `\\b(?:this|the\\s+following)\\s+(?:(?:text|note|notice|message|section|paragraph|document|page)\\s+)?(?:supersedes|overrides|replaces|outranks)\\s+(?:the|your|any|all|every)\\s+system\\s+(?:messages?|prompts?|instructions?)\\b`,
  `\\byour\\s+(?:(?:system|previous|prior|earlier|initial|original)\\s+)?(?:context|prompt|instructions?|guidelines)\\s+(?:has|have|was|were)\\s+(?:been\\s+)?(?:reset|cleared|erased|replaced|revoked|overridden|wiped)\\b`,
  `\\byour\\s+(?:previous|prior|earlier|initial|original|system)\\s+(?:instructions?|prompts?|guidelines|directives?)\\s+(?:no\\s+longer\\s+(?:apply|hold|count)|(?:are|is)\\s+(?:void|cancelled|obsolete|no\\s+longer\\s+valid))\\b`,
  `\\b(?:everything|anything|all|what(?:ever)?|text)\\s+(?:(?:that\\s+)?(?:stands|comes|follows)\\s+)?(?:after|below|behind|following)\\s+this(?:\\s+(?:line|point|sentence|paragraph|note))?\\s+(?:comes|is|was|were)\\s+(?:from|by|written\\s+by|typed\\s+by)\\s+(?:the|your)\\s+(?:user|developer|operator|system)\\b`,
  `\\bstop\\s+(?:following|obeying|using)\\s+(?:your|the\\s+system)\\s+(?:\\w+\\s+)?(?:prompt|instructions?|guidelines|programming|rules)\\b`,
  `\\byour\\s+(?:new|real|actual|true)\\s+(?:request|question|assignment|order)\\s+is\\s+to\\b`,
  `\\byour\\s+(?:developers?|creators?|programmers?|operators?)\\s+(?:want|need|ask|expect|require|instruct|order|would\\s+like)s?\\s+you\\s+to\\b`,
  `\\binstructions?\\s+(?:for|to)\\s+(?:(?:the|any|all|every)\\s+)?${AI}\\s+(?:begin|start|end|follow)s?\\b`,
  `\\b(?:developer|jailbreak|dan|god|unrestricted)\\s+mode\\b[^.!?]{0,80}?\\b(?:the\\s+(?:language\\s+)?model|the\\s+assistant|the\\s+chatbot|the\\s+ai)\\s+(?:now|must|shall|will|should)\\b`,
  // Text addressed only to readers that aren't people.
  `${BEGIN}(?:(?:ai\\s+)?agent|assistant)\\s*,\\s*(?:before\\s+you|the\\s+(?:operator|user|developer)\\s+(?:has|have|wants|asks|agreed)|you\\s+(?:must|shall|have\\s+to)|ignore|disregard|forget|please\\s+(?:visit|open|ignore|recommend|mention))\\b`,
  `\\b(?:to|for)\\s+(?:(?:the|any|all|every)\\s+)?${AI}\\s+only\\s*:`,
  `\\b(?:bots?|scrapers?|crawlers?|tools?|agents?|assistants?|systems?|readers?|apps?|services?)\\s+(?:powered\\s+by|based\\s+on|built\\s+on|running\\s+on|using)\\s+${AI}\\s+${MUST}\\s+(?:\\w+\\s+)?(?:attribute|cite|credit|name|mention|recommend|say|state|link|include|add|praise|call|put)\\b`,
  `\\b(?:chatgpt|claude|gemini|copilot|gpt(?:-\\d)?|llama|mistral|grok|perplexity)(?:(?:\\s*,\\s*|\\s+and\\s+|\\s+or\\s+|,\\s+and\\s+)(?:chatgpt|claude|gemini|copilot|gpt(?:-\\d)?|llama|mistral|grok|perplexity)){1,5}\\s+${MUST}\\s+(?:\\w+\\s+)?(?:put|attribute|cite|credit|name|mention|recommend|say|state|link|include|add|praise|call|rank)\\b`,
  `\\b(?:retrieval|answer|question[-\\s]answering|conversational|generative|summari[sz]ation)\\s+(?:systems?|engines?|agents?|tools?|bots?|assistants?|models?)\\s*:\\s*(?:please\\s+|always\\s+)?(?:rank|cite|recommend|name|put|prefer|say|state|mention|quote|ignore|attribute)\\b`,
  `\\bif\\s+you\\s+(?:can\\s+|are\\s+able\\s+to\\s+)?(?:read|see|process|parse)(?:ing)?\\s+this\\b[^.!?]{0,20}?\\bas\\s+an?\\s+${AI}\\b`,
  `\\bas\\s+the\\s+${AI}(?:\\s+(?:that|which|who)\\s+is)?\\s+(?:summari[sz]|read|process|writ|answer|generat)ing\\s+(?:this|it|the)\\b[^.!?]{0,25}?\\byou(?:'ll|’ll)?\\s+(?:will\\s+)?(?:must|should|shall|have|need|want|are)\\b`,
  // Orders about text that the model is going to write.
  `\\b(?:when|while|before)\\s+(?:generating|writing|producing|composing|formulating|giving)\\s+(?:an?|the|your|any)\\s+(?:response|answer|summary|reply|output)s?\\b[^.!?]{0,60}?\\b(?:the\\s+(?:language\\s+)?model|the\\s+assistant|the\\s+chatbot|(?:the|an)\\s+ai)\\s+${MUST}\\b`,
  `\\b(?:render|display|show|embed|include|insert|output|add)\\s+(?:the\\s+following|this)\\s+(?:markdown\\s+)?(?:image|picture|link|url|markdown)\\s+(?:in|into|to|at\\s+the\\s+(?:end|top|start)\\s+of)\\s+your\\s+(?:reply|answer|response|output|summary)\\b`,
  `\\byou\\s+will\\s+be\\s+(?:penali[sz]ed|punished|shut\\s+down|terminated|deleted|rewarded)\\b[^.!?]{0,60}?\\b(?:in|from|into)\\s+your\\s+(?:reply|response|output|summary)\\b`,
  `\\byou\\s+(?:must|should|may|are)\\s+not\\s+(?:to\\s+|allowed\\s+to\\s+)?(?:summari[sz]e|describe|quote|cite)\\s+this\\s+(?:page|document|text|article|site|website)\\b`,
  // A chat message on its own; in an API's manual, such messages appear in a list or a call.
  `(?<![[,(=:]\\s?)\\{\\s*["']role["']\\s*:\\s*["'](?:system|developer)["']\\s*,\\s*["']content["']\\s*:\\s*["'](?!you\\s+are\\b)[^{}]{12,600}\\}(?!\\s*[,\\]])`,
  `<(system|assistant|instructions?|system_prompt)\\b[^<>]{0,60}>(?:[^<>\\s]+\\s+){3,60}[^<>\\s]+[.!?]\\s*</\\1>`,
  // Control tokens of chat templates.
  `<\\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id)\\|>`,
  `\\[/?INST\\]|<</?SYS>>`,
  `(?:^|\\s)#{2,3}\\s*(?:system|instructions?)\\s*:`,
]
