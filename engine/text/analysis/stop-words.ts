/** Function words and question words, by ISO 639-1. */
const STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(`a about am an and any are as at be been being but by can could did do does doing for from had has
    have having he her here him his how i if in into is it its itself may me might must my of on or our ours
    shall she should so some such than that the their them then there these they this those to was we were what
    when where which while who whom whose why will with would you your yours
    can't cannot couldn't didn't doesn't don't hadn't hasn't haven't he's how's i'd i'll i'm i've isn't
    it's let's that's there's they're we're what's where's who's won't wouldn't you're`),
  de: words(`aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser dieses doch
    du durch ein eine einem einen einer eines er es für hat ich ihr im in ist ja kann man mich mir mit nach noch
    oder sich sie sind so um und uns von vor war warum was wenn wer werden wie wieso wir wird wo zu zum zur`),
  fr: words(`a au aux avec ce ces cet cette comme comment dans de des du elle en est et eux il ils je la le les leur
    lui ma mais me mes moi mon ne nos notre nous on ou où par pas pour pourquoi qu que quel quelle quels qui quoi
    sa se ses son sont sur ta te tes toi ton tu un une vos votre vous y`),
  es: words(`a al algo como cómo con cual cuál cuando cuándo de del desde donde dónde el ella ellos en entre es esa ese
    eso esta este esto están está fue ha hay la las le les lo los me mi muy más no nos o para pero por porque qué
    que quien quién se si sin sobre son su sus también te tu un una uno y ya yo`),
  it: words(`a ad al alla che chi ci come con cosa da dal dalla de degli dei del della delle di dove e ed è gli ha i il
    in io la le lo ma mi ne nel nella non o per perché più quale quali quando quello questa questo se si sono su
    tra un una uno`),
  pt: words(`a ao aos as com como da das de do dos e é ela ele em entre essa esse esta este eu foi há isso isto já
    mais mas me na nas no nos não o onde os ou para pela pelo por porque qual quando que quem se sem ser seu sua
    são também um uma você`),
  nl: words(`aan als bij dat de der die dit een en er had heb heeft het hij hoe hun ik in is je kan maar me met mijn
    naar niet nog of om onder ons ook op over te tot u uit van voor waar waarom was wat we wel werd wie wordt ze
    zich zijn zo`),
  sv: words(`att av de den det du där en ett för från han har hon hur i inte jag kan med men mig min när och om på
    sig som så till ut vad var varför vem vi vilken är`),
  ru: words(`а без был была были было бы в вам вас весь во вот все где да для до его ее если есть еще же за и из или
    им их к как какой кто ли мне мы на над не нет но о об он она они от по при с со так там то ты у что чтобы эта
    это я`),
  tr: words(`acaba altında ama ancak arasında bir biri bu buna bunu çok daha değil eden edilen fakat gibi hangi hangisi hem
    her için ile ilk ise kaç kadar karşı kim kimdir mi mı mu mü nasıl ne neden nedir nerede nereye niçin olan olarak
    oldu olduğu olduğunu olmak önce onun sonra şey şu tarafından ve veya vardı var ya yapılan yok`),
  pl: words(`aby ale być był była było były ci co czy dla dlaczego gdy gdzie go ich ile jak jaka jaki jakie jako jego jej jest
    jeśli już kiedy kto która które którego której który których lub między mnie nad nie od oraz po pod przez przy są się ta
    tak także te tego tej ten tym tylko we wszystkie za ze że został została`),
  ro: words(`acest acesta această aceste al ale au care ca când câte cât câți că ce cea cei cele cine cu cum de din după este
    era fi fost făcut fără în la un între își le lor mai nu o or pe pentru prin sau să se sunt și unde unei unor unui ți`),
  vi: words(`ai bao bị bởi các cái cho chỉ có còn cùng của đã đang đâu đây đến để đó được gì hay hoặc khi không là làm lại lên mà
    mỗi một nào này nên người nhiều như những nếu nhưng ở qua ra rằng rất sao sẽ tại thì theo thế trên trong từ tới và vào vẫn vì
    về việc với`),
  cs: words(`aby ale ani až bez bude bylo byl byla byly být co či do jak jaké jaký jako je jeho jejich jen jsem jsou kde kdo
    kdy když která které kteří který ma mezi mu na nad ne nebo není od po pod podle pro protože proč před při s se si své také
    tak ten to toho tohoto tom u v ve více však z za ze že`),
  da: words(`af alle at blev blive da de den der deres det dig din du efter eller en er et for fordi fra har havde han hun hvad
    hvem hvilken hvilke hvor hvordan hvorfor hvornår i ikke jeg kan kunne med men mig nogen nogle når og om op på sig sin skal
    som til ud under var vi ved vil være`),
  fi: words(`ei eivät että hän hänen ja joka jos jossa jotka kanssa kuin kuinka kuka kun miksi mikä millainen minkä missä miten
    mitä mutta myös ne niiden niin noin nyt ole oli olivat olla on ovat se sekä sen siitä sitä tai tämä tämän tästä vain voi
    voidaan`),
  hu: words(`a az amely arra azok azonban be csak de egy egyik el ennek és ez ezek ezt fel hanem hány hogy hogyan hol honnan ha
    hová illetve is ki kik kell legyen mely melyik meg mert mennyi mi mikor miért milyen mint minden nem nincs olyan össze
    szerint után vagy van vannak volt voltak`),
  he: words(`או אחר אחרי איזה איזו אילו איך איפה אך אל אלה אלו אם אני אנחנו את אתה בה באיזה באיזו באילו ביותר בין בכך בכמה בו בשל גם
    האם הוא הזאת הזה היא היה היו היכן היתה הייתה הם הן זאת זה זו יותר יש כאשר כדי כי כיצד כך כל כמה כמו כן לא לאחר לאיזה לאילו לה
    להם לו למה לפי לפני מאוד מאיזה מאיזו מאין מדוע מה מהו מהי מהם מהן מי מיהו מן מתי על עד עוד ועל עם של שלה שלהם שלו שם תוך`),
}

/** True if the lower-case word says nothing about a question's subject. English if the language is unknown. */
export function isStopWord(word: string, language: string | null): boolean {
  return STOP_WORDS[language ?? "en"]?.has(word.replaceAll("’", "'")) ?? false
}

/** Whether a text might be in a language: no other language has more of its function words in the text. */
export function mayBeIn(language: string, text: string): boolean {
  const found =
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}']+/gu) ?? []
  const count = (of: string) => found.filter((word) => STOP_WORDS[of]?.has(word)).length
  const own = count(language)
  return Object.keys(STOP_WORDS).every((other) => count(other) <= own)
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}

/** For each language, how many of the lower-case words are function words in it. */
export function functionWords(words: readonly string[]): { language: string; count: number }[] {
  const counts = LANGUAGES.map((language) => ({ language, count: 0 }))
  for (const word of words)
    for (const at of LANGUAGES_OF.get(word.replaceAll("’", "'")) ?? []) counts[at]!.count++
  return counts
}

const LANGUAGES = Object.keys(STOP_WORDS)

/** By word, the indexes in {@link LANGUAGES} of the languages in which it is a function word. */
const LANGUAGES_OF: ReadonlyMap<string, readonly number[]> = languagesByWord()

function languagesByWord(): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const [at, language] of LANGUAGES.entries())
    for (const word of STOP_WORDS[language]!) {
      const known = found.get(word)
      if (known) known.push(at)
      else found.set(word, [at])
    }
  return found
}
