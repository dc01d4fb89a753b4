/** Words that refer to something said before. */
const REFERS =
  /^[("“]?(?:it|its|they|their|them|this(?! (?:page|module|document|library|package|guide|manual|chapter|article|book|section|tutorial|appendix)\b)|these(?! days\b)|those(?! who\b)|that|he|she|his|her|such|both(?!.{1,80}\band\b)|neither(?!.{1,80}\bnor\b)|either(?!.{1,80}\bor\b)|however|but|and|or|so(?! far\b)|also|then|thus|hence|therefore|instead(?! of\b)|otherwise|moreover|furthermore|besides|likewise|similarly|conversely|nevertheless|nonetheless|consequently|accordingly|additionally|still|yet|else|again|here|further|there(?! (?:is|are|was|were|may|can|will|must)\b)|in (?:this|that|these|those|such|both|either|addition(?! to\b)|contrast(?! (?:to|with)\b)|particular|other words|short|fact)|for (?:this|that|these|example|instance)|as a result(?! of\b)|as (?:above|below|described|shown|noted)|on the (?:other hand|contrary)|at (?:this|that) point|after that|with (?:this|that|these)|because (?:of )?(?:this|that|it|they)|if (?:so|not|it|they)|the (?:former|latter|same|above|following)|note (?:too|also)|see|er|sie|es|dies|diese|dieser|dieses|aber|und|oder|doch|jedoch|außerdem|deshalb|daher|dadurch|dann|elle|ils|elles|ce|cela|ceci|cette|mais|et|donc|ainsi|cependant|esto|esta|este|pero|además|sin embargo)(?=[\s,.;:’'])/iu

/** "It is critical that you …", "It can be useful to …": the word refers to what follows. */
const EXPLETIVE =
  /^it(?:'s|’s|(?: \w+){0,2} (?:is|was|be))(?: (?:not|also|often|always|never|very|usually|strongly|highly|sometimes|therefore|thus|even|quite|\w+ly))* (?:(?!used\b|meant\b|intended\b|called\b|allowed\b|able\b|designed\b|supposed\b|unable\b|likely\b|free\b|up\b|said\b|due\b|set\b|similar\b|equivalent\b|restricted\b|added\b|related\b|limited\b|known\b)\w+)(?: (?:idea|practice|time|case|thing|rule|way))?(?: (?:for|of) [\w ]{1,30})? (?:that|to)\b/i

/** Whether a sentence makes no sense without the one before it. */
export const isDangling = (sentence: string): boolean =>
  (REFERS.test(sentence) && !EXPLETIVE.test(sentence)) || /^\(.*\)[.]?$/s.test(sentence)
