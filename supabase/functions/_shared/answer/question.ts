/** What kind of answer a question asks for, as far as its first words tell. */
export type Wanted = 'quantity' | 'time' | 'place' | 'way' | 'meaning' | 'anything'

const FRAMES: readonly (readonly [Wanted, RegExp])[] = [
  [
    'quantity',
    /^(how (long|much|many|far|often|tall|high|old|large|big|wide|deep|heavy|hot|cool|cold|warm|fast|soon))\b/i,
  ],
  ['quantity', /^(wie (lange|viele?|weit|oft|hoch|alt|groß|breit|tief|schwer|heiß|kalt|warm|schnell|bald))\b/i],
  ['time', /^((in )?(what|which) (year|century|month|day)|since when|when|seit wann|wann)\b/i],
  ['place', /^(where|wohin|woher|wo)\b/i],
  ['way', /^(how (do|can|could|should|would) (i|we|you|one)|wie (kann|muss|soll) (ich|man))\b/i],
  // What these name is a part of the question's subject.
  ['way', /^(which|what|welche[rs]?)(?= (command|key|option|program|tool|befehl|taste|programm)\b)/i],
  [
    'meaning',
    /^(what(’s|'s| is| are| was| were| does| do)|was (ist|sind|war|macht|bedeutet|heißt)|wozu (dient|dienen))\b/i,
  ],
]
/** What follows the subject of "What … for?". */
const TAIL = /\b(do|does|means?|for|(also )?called|stand for|used for)\s*[?!.]*$/i

const NUMBER =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|quarter|once|twice|every|ein|eine|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|hundert|tausend|jede[rsn]?'
const VALUES: Readonly<Record<Exclude<Wanted, 'meaning' | 'anything'>, RegExp>> = {
  quantity: new RegExp(`\\d|\\b(${NUMBER})\\b`, 'iu'),
  time: /\d{3,4}|\d\d?[:.]\d\d|\b(january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|jahrhundert|sunset|sunrise|noon|midnight|morning|evening|night|daily|weekly|monthly|yearly|until|after|before|when|once|if)\b/iu,
  place: /(^|[\s"'(`“‘])(~|\$\w+)?\/[\w.$-]+/iu,
  way: /`|(^|\s)--?\w|\b(use|using|run|type|press|command|with)\b/i,
}

/** What a question asks for ("how long", "where"), and the question without these words: "long" says nothing of the
 *  subject. */
export function readQuestion(question: string): { readonly wanted: Wanted; readonly subject: string } {
  const asked = question.trim()
  for (const [wanted, frame] of FRAMES) {
    const [said] = frame.exec(asked) ?? []
    if (said === undefined) continue
    const subject = asked.slice(said.length)
    return { wanted, subject: wanted === 'meaning' ? subject.replace(TAIL, '') : subject }
  }
  return { wanted: 'anything', subject: asked }
}

/** Whether a text has such a value: a number or a number word, a date, a path, a command. */
export const hasValue = (wanted: Wanted, text: string): boolean =>
  wanted === 'meaning' || wanted === 'anything' || VALUES[wanted].test(text)

const GENERAL = new Set(
  'allow allows also ask become begin begins bring change come comes contain contains find finds follow get gets give gives go goes happen happens help keep keeps kept know leave leaves let lets like long look looks make makes mean means may must need needs often one own place placed put reach said say see seem send sent set show shows stand start take takes tell turn use used uses want wants work works write'.split(
    ' ',
  ),
)

/** Whether a word is of so many uses that it says little of what a question is about, however rare it is in a library. */
export const isGeneral = (word: string): boolean => GENERAL.has(word.toLowerCase())

/** Words by which a question goes on from the one before; Arabic often adds them to other words. */
const GOES_ON =
  /^(and|but|or|then|also|what about|how about|und|aber|oder|dann|auch|was ist mit)\b|\b(it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|er|ihn|ihm|es|sie|ihre[mnrs]?|dies(e[mnrs]?)?|dort|damit|davon|dafür|daran|darin)\b|\p{Script=Arabic}/iu
/** A question of so many words means something by itself. */
const ENOUGH_WORDS = 8

/** Whether a question means little without the one before: "And how far does it shine?", "Since when?". */
export function refersBack(question: string): boolean {
  if (question.trim().split(/\s+/).length >= ENOUGH_WORDS) return false
  const { subject } = readQuestion(question)
  return GOES_ON.test(question.trim()) || !/\p{L}/u.test(subject) || /^(why|warum|wieso|weshalb)\W*$/i.test(subject)
}
