export type AnswerType = 'quantity' | 'time' | 'place' | 'way' | 'meaning' | 'person' | 'anything'

/** Question words by language: at the beginning or, in Turkish and scripts without spaces, at the end. */
const FRAMES: readonly (readonly [AnswerType, RegExp])[] = [
  ...framesOf(
    'quantity',
    'how (?:long|much|many|far|often|tall|high|old|large|big|wide|deep|heavy|hot|cool|cold|warm|fast|soon)',
    "what(?:’s|'s| is| are) the(?= (?:maximum|minimum|(?:largest|smallest|highest|lowest) (?:allowed|number|permitted|possible|size|value)) )",
    '(?:seit )?wie (?:lange|viele?|weit|oft|hoch|alt|groß|breit|tief|schwer|heiß|kalt|warm|schnell|bald)',
    '(?:en |dans |pendant |sous )?combien(?: de)?|à quelle fréquence|(?:a |en |cada |por )?cuánt[oa]s?',
    '(?:in |em |ogni |per |por |da )?quant[oaie]s?|(?:за |на |до )?сколько|как (?:долго|часто|много|далеко)',
    'hoe (?:lang|veel|vaak|ver|hoog|groot|breed|diep|zwaar|oud)|(?:za |na )?ile|jak (?:długo|często|dużo|daleko|duży|wysok\\p{L}+)|كم',
  ),
  ...framesOf(
    'time',
    '(?:in |on )?(?:what|which) (?:year|century|month|day)|(?:since |until |by |from )?when|(?:seit |bis |ab )?wann',
    "(?:depuis |jusqu[’']à |à partir de )?quand|(?:desde |hasta )?cuándo|(?:da |fino a |desde |até )?quando",
    'когда|(?:с|до) какого|в каком году|(?:vanaf |tot |sinds )?wanneer|hoe laat|(?:od |do )?(?:kiedy|której godziny)|o której|متى',
  ),
  ...framesOf('place', "where|wohin|woher|wo|d[’']où|où|(?:a |de )?dónde|dove|onde|где|куда|откуда|waar|gdzie|أين"),
  ...framesOf(
    'way',
    'how (?:do|can|could|should|would) (?:i|we|you|one)|wie (?:kann|muss|soll) (?:ich|man)|comment|cómo|come|como|как(?: можно| мне)?|hoe|jak|كيف',
    // The lookahead keeps the word, because it's part of the question's subject.
    '(?:which|what|welche[rs]?|quelle?|(?:con )?qué)(?= (?:command|key|option|program|tool|befehl|taste|programm|commande|orden|comando)\\b)',
  ),
  ...framesOf(
    'meaning',
    "what(?:’s|'s| is| are| was| were| does| do)|was (?:ist|sind|war|macht|bedeutet|heißt|enthält|enthalten)|wo(?:zu|für) (?:dient|dienen|ist|sind|stehen|steht)",
    "qu[’']est-ce qu(?:e|[’'])|que (?:fait|signifie|contient)|à quoi (?:sert|servent)|qué (?:es|son|significa|hace|contiene)|para qué (?:sirven?|es)",
    'что (?:такое|значит|означает|делает)|для чего|зачем',
    "wat (?:is|zijn|doet|betekent)|co (?:to|oznacza)|ما (?:هو|هي|معنى)|che cos[’']è|cos[’']è|che cosa (?:è|sono)|a (?:che )?cosa serve|o que (?:é|são|significa|faz)|para que serve",
  ),
  ...framesOf('person', 'who(?:m|se)?|we[rmn](?: (?:hat|haben))?|qui(?:én(?:es)?)?|chi|quem|кто|kto|من'),
  [
    'quantity',
    /(?:[はがを]|には)?(?:いく[つら]|[どな](?:れ|の|ん)?(?:くらい|ぐらい)|何[円人回個枚本台歳週]).*$|(?:有|是)?(?:多[少大长久]|几[个天年月周次人岁])|(?:ne kadar|kaç(?: \p{L}+)?).*$/u,
  ],
  ['time', /[はが]?(?:いつ|何[年月日時]).*$|(?:是)?(?:什么时候|何时)|(?:ne zaman|saat kaçta).*$/u],
  ['place', /[はがを]?どこ.*$|在?(?:哪里|哪儿)|nere(?:de|ye|den)(?!\p{L}).*$/u],
  ['way', /[はをが]?どう(?!して).*$|[はをが]?どのように.*$|如何|怎么|怎样/u],
  [
    'meaning',
    /(?:とは|とは何|[はに]何)(?:です|でしょう|のため).*$|是什么.*$|^什么是|有什么(?:作|用|意义|含义|意思).*$/u,
  ],
  ['person', /是?谁|(?:[はが])?(?:誰|だれ).*$/u],
  ['anything', /(?:には|[はが])?(?:何|なぜ|どれ).*$|什么/u],
]

function framesOf(wanted: AnswerType, ...words: string[]): [AnswerType, RegExp][] {
  return words.map((some) => [wanted, new RegExp(`^[¿\\s]*(?:${some})(?![\\p{L}\\p{N}])`, 'iu')])
}
const TAIL = /\b(do|does|means?|for|(also )?called|stand for|used for)\s*[?!.]*$/i

const NUMBER =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|quarter|once|twice|every|ein|eine|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|hundert|tausend|jede[rsn]?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|cent|mille|chaque|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|cien|mil|cada|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|venti\\p{L}*|cento|dois|duas|três|quatro|sete|oito|dez|vinte|cem|од[ни]\\p{L}*|дв[аеу]\\p{L}*|три\\p{L}*|четыр\\p{L}*|пят[ьи]\\p{L}*|шест\\p{L}*|сем[ьи]\\p{L}*|вос[еь]м\\p{L}*|девя\\p{L}*|десят\\p{L}*|сто|сот|тысяч\\p{L}*'

/** The names of months and weekdays in the languages of the question words. Longer ones may have other endings. */
const DAYS = ['en', 'de', 'fr', 'es', 'it', 'pt', 'ru']
  .flatMap((language) =>
    [
      ...Array.from(
        { length: 12 },
        (_, month) => [Date.UTC(2024, month, 1), { day: 'numeric', month: 'long' }] as const,
      ),
      ...Array.from({ length: 7 }, (_, day) => [Date.UTC(2024, 0, 1 + day), { weekday: 'long' }] as const),
    ].map(([date, options]) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).formatToParts(date)),
  )
  .flatMap((parts) => parts.filter(({ type }) => type === 'month' || type === 'weekday').map(({ value }) => value))
  .map((name) => (name.length > 5 ? `${name.slice(0, -1)}\\p{L}{0,3}` : name))
  .join('|')
const CONJUNCTIONS =
  'century|jahrhundert|sunset|sunrise|noon|midnight|morning|evening|night|daily|weekly|monthly|yearly|until|after|before|within|when|once|if|bis|nach|vor|innerhalb|wenn|sobald|avant|après|quand|dès|lorsque|antes|después|cuando|prima|dopo|entro|depois|после|через|когда'
const word = (words: string) => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`
const VALUES: Readonly<Record<Exclude<AnswerType, 'meaning' | 'person' | 'anything'>, RegExp>> = {
  quantity: new RegExp(`\\p{Nd}|[一二三四五六七八九十百千]|${word(NUMBER)}`, 'iu'),
  time: new RegExp(`\\d{3,4}|\\d\\d?[:.]\\d\\d|[前后時时年月日]|${word(`${DAYS}|${CONJUNCTIONS}`)}`, 'iu'),
  place: /(^|[\s"'(`“‘])(~|\$\w+)?\/[\w.$-]+/iu,
  way: /`|(^|\s)--?\w|\b(use|using|run|type|press|command|with)\b/i,
}

/** Returns what a question asks for, and its subject without the question words: "long" in "how long" isn't one. */
export function readQuestion(question: string): { readonly wanted: AnswerType; readonly subject: string } {
  const asked = question.trim()
  for (const [wanted, frame] of FRAMES) {
    if (!frame.test(asked)) continue
    const subject = asked.replace(frame, ' ')
    return { wanted, subject: wanted === 'meaning' ? subject.replace(TAIL, '') : subject }
  }
  return { wanted: 'anything', subject: asked }
}

const AROUND = /^(?:什[么麼]|[是有的了吗嗎呢谁誰在])+|(?:什[么麼]|[是有的了吗嗎呢谁誰在])+$/gu
const SHORT_WORDS = /(?<!\p{L})(?:(?:\p{L}|什[么麼])(?!\p{L}) ?)+/gu

/** Separates the words of a Chinese question, because search takes any two neighbouring characters for a word. Single
 *  characters stay together: they may be words that the dictionary lacks. */
export const withSpaces = (question: string): string =>
  /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(question)
    ? question
    : question.replace(/\p{sc=Han}+/gu, (text) =>
        Array.from(new Intl.Segmenter('zh', { granularity: 'word' }).segment(text), ({ segment }) => segment)
          .join(' ')
          .replace(SHORT_WORDS, (words) => `${words.replaceAll(' ', '').replace(AROUND, '')} `)
          .trim(),
      )

const SCRIPTS = { zh: 'Han', ar: 'Arabic', ko: 'Hangul', th: 'Thai', el: 'Greek', ru: 'Cyrillic', he: 'Hebrew' }
const LANGUAGES: Readonly<Record<string, RegExp>> = {
  ja: /[\p{sc=Hiragana}\p{sc=Katakana}]/u,
  ...Object.fromEntries(
    Object.entries(SCRIPTS).map(([language, script]) => [language, RegExp(`\\p{sc=${script}}`, 'u')]),
  ),
  // "Was" also begins German questions.
  en: /^(?:what|which|who|whose|how|when|where|why|does|do|did|is|are|was (?:the|an?|it|he|she|there|this|that|any)|were|can|may|must|should)\b/i,
  de: /^(?:(?:mit|in|auf|an|für|von) )?(?:was|wer|wem|wen|wie|wann|wo|wozu|wofür|womit|woher|warum|welche[rsmn]?|kann|darf|muss|ist|sind)\b/i,
  fr: /^(?:(?:à|de|en|dans|avec) )?(?:qu[’'ei]|quel|quoi|quand|comment|combien|où|pourquoi|est-ce)/i,
  es: /^¿|^(?:(?:a|de|en|con|para|por) )?(?:qué|quién|cuál|cuándo|cuánt|dónde|cómo)/i,
  pt: /^(?:o que|quem|qual|quais|quando|onde|como|quant[oa]s?|por que)\b/i,
  it: /^(?:che|chi|cosa|cos[’']|come|quando|dove|quant[oaie]|qual[ei]?|perché)/i,
}

/** Detects the language of a question from its first words or script; null if neither is conclusive. */
const languageOf = (question: string): string | null =>
  Object.entries(LANGUAGES).find(([, words]) => words.test(question.trim()))?.[0] ?? null

/** Returns the question's language if some of the passages found are in it and others aren't; null otherwise. */
export function preferredLanguage(question: string, found: readonly { language?: string | null }[]): string | null {
  const own = languageOf(question)
  const others = found.filter(({ language }) => language != null && language !== own)
  return others.length > 0 && found.some(({ language }) => language === own) ? own : null
}

export const hasValue = (wanted: AnswerType, text: string): boolean =>
  wanted === 'meaning' || wanted === 'person' || wanted === 'anything' || VALUES[wanted].test(text)

const GENERAL = new Set(
  'allow allows also ask become begin begins bring change come comes contain contains find finds follow get gets give gives go goes happen happens help keep keeps kept know leave leaves let lets like long look looks make makes mean means may must need needs often one own place placed put reach said say see seem send sent set show shows stand start take takes tell turn use used uses want wants work works write darf dürfen enthält enthalten geben gibt können kann liegt macht muss müssen soll sollen stehen steht werden wird contenir contient contiennent doit doivent faire fait mettre permet permettent peut peuvent sert servent trouve trouver contiene contienen da dan debe deben encuentra hace hacen puede pueden sirve sirven tiene tienen usa usan posso può possono deve devono fare pode podem posso devo tem têm fazer levar можно нужно надо могу может должен делать mag mogen moet moeten kan można trzeba mogę może ma يمكن يجب'.split(
    ' ',
  ),
)

/** Whether a word is used so widely that it says little about the subject, even if it's rare in a library. */
export const isGeneral = (word: string): boolean => GENERAL.has(word.toLowerCase())

/** Words that continue the previous question. Arabic often attaches them to other words. */
const GOES_ON =
  /^(and|but|or|then|also|what about|how about|und|aber|oder|dann|auch|was ist mit)\b|\b(it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|er|ihn|ihm|es|sie|ihre[mnrs]?|dies(e[mnrs]?)?|dort|damit|davon|dafür|daran|darin)\b|\p{Script=Arabic}/iu
const ENOUGH_WORDS = 8

/** Whether a question needs the previous one to make sense: "And how far does it shine?", "Since when?". */
export function refersBack(question: string): boolean {
  if (question.trim().split(/\s+/).length >= ENOUGH_WORDS) return false
  const { subject } = readQuestion(question)
  return GOES_ON.test(question.trim()) || !/\p{L}/u.test(subject) || /^(why|warum|wieso|weshalb)\W*$/i.test(subject)
}
