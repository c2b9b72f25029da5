// `npm run messages`: checks that the catalogues in src/locales contain every text of the app and every text that the
// backend shows to people, and nothing else. With --write it adds missing texts with empty translations, to be filled
// in, and removes texts that are no longer used.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from './processes.ts'

const LOCALES = `${ROOT}src/locales/`

/** `t('…')` and `msg('…')`, also over several lines. Texts must be literals: a computed text could not be found. */
const SAID = /(?<![\w.])(?:t|msg)\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g
/** A sentence in an edge function: the message of a refusal, or why a document could not be read. Texts with parameters
 *  are in src/domain/backend-messages.ts. Mails (`…-mail.ts`) have every language in the function; the API for programs is in
 *  English only. */
const TOLD = /'([A-Z](?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*\.)'/g
/** Messages for programmers: how to call a function. */
const IS_TECHNICAL = /^Send |^Only the project itself|^A question to see|is not JSON\.$/
/** The same in the database: the sentences of private.errors(), without parameters. */
const RAISED = /'([A-Z](?:[^'{]|''|\{(?!\w))* (?:[^'{]|''|\{(?!\w))*[.])'/g

const unescaped = (text: string) =>
  text.replaceAll(/\\u([0-9a-f]{4})|\\(.)/gi, (_, code: string | undefined, letter: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : letter,
  )
const found = (pattern: RegExp, source: string) => [...source.matchAll(pattern)].map(([, text = '']) => text)

export const messagesIn = (source: string): string[] =>
  found(SAID, source).map((literal) => unescaped(literal.slice(1, -1)))
const toldIn = (source: string) =>
  found(TOLD, source)
    .map(unescaped)
    .filter((text) => !IS_TECHNICAL.test(text))
const raisedIn = (source: string) => found(RAISED, source).map((text) => text.replaceAll("''", "'"))

const PLACES = [
  ['src/', /(?<!\.test)\.tsx?$/, messagesIn],
  ['supabase/functions/', /^(?!(?:_shared\/)?api\/).*(?<!\.test|-mail)\.ts$/, toldIn],
  ['supabase/schemas/', /_refusals\.sql$/, raisedIn],
] as const

const said = new Set<string>()
for (const [folder, wanted, textsIn] of PLACES) {
  for (const name of readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })) {
    if (!wanted.test(name)) continue
    for (const text of textsIn(readFileSync(ROOT + folder + name, 'utf8'))) said.add(text)
  }
}

let faults = 0
for (const name of readdirSync(LOCALES)) {
  const catalogue: Record<string, string> = JSON.parse(readFileSync(LOCALES + name, 'utf8'))
  const missing = [...said].filter((message) => !catalogue[message])
  const unsaid = Object.keys(catalogue).filter((message) => !said.has(message))
  faults += missing.length + unsaid.length
  for (const message of missing) console.log(`${name}: missing  ${message}`)
  for (const message of unsaid) console.log(`${name}: unsaid   ${message}`)
  if (!process.argv.includes('--write')) continue
  const kept = [...said].sort().map((message) => [message, catalogue[message] ?? ''])
  writeFileSync(LOCALES + name, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
}
console.log(`${said.size} texts, ${faults} faults.`)
process.exit(faults === 0 || process.argv.includes('--write') ? 0 : 1)
