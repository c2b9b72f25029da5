/** What kind of value answers a question, as far as its first words tell. */
export type Wanted = 'quantity' | 'time' | 'anything'

const FRAMES: readonly (readonly [Wanted, RegExp])[] = [
  [
    'quantity',
    /^(how (long|much|many|far|often|tall|high|old|large|big|wide|deep|heavy|hot|cool|cold|warm|fast|soon))\b/i,
  ],
  ['quantity', /^(wie (lange|viele?|weit|oft|hoch|alt|groß|breit|tief|schwer|heiß|kalt|warm|schnell|bald))\b/i],
  ['time', /^((in )?(what|which) (year|century|month|day)|since when|when|seit wann|wann)\b/i],
]

const NUMBER =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|quarter|once|twice|every|ein|eine|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|hundert|tausend|jede[rsn]?'
const VALUES: Readonly<Record<Wanted, RegExp>> = {
  quantity: new RegExp(`\\d|\\b(${NUMBER})\\b`, 'iu'),
  time: /\d{3,4}|\d\d?[:.]\d\d|\b(january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|jahrhundert|sunset|sunrise|noon|midnight|morning|evening|night|daily|weekly|monthly|yearly|until|after|before)\b/iu,
  anything: /^/,
}

/** The value that a question asks for ("how long", "when"), and the question without these words: "long" says nothing
 *  of the subject. */
export function readQuestion(question: string): { readonly wanted: Wanted; readonly subject: string } {
  for (const [wanted, frame] of FRAMES) {
    const [said] = frame.exec(question.trim()) ?? []
    if (said !== undefined) return { wanted, subject: question.trim().slice(said.length) }
  }
  return { wanted: 'anything', subject: question }
}

/** Whether a sentence has such a value: a number or a number word, a date or a time of day. */
export const hasValue = (wanted: Wanted, sentence: string): boolean => VALUES[wanted].test(sentence)
