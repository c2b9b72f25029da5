// `npm run messages`: whether every text of the app, and every one that the backend says to people, is in every catalogue of
// src/locales, and nothing else is. With --write it adds what is missing, empty, for somebody to fill in, and takes out what is
// no longer said.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from './processes.ts'

const LOCALES = `${ROOT}src/locales/`

/** `t('…')` and `msg('…')`, over several lines as well. Texts are literals: one that is put together could not be found. */
const SAID = /(?<![\w.])(?:t|msg)\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g
/** A sentence in an edge function: what it refuses with, or why a document could not be read. Texts with holes in them are in
 *  src/lib/told.ts. */
const TOLD = /'([A-Z](?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*\.)'/g
/** For programmers: how a function is called. */
const IS_TECHNICAL = /^Send |^Only the project itself|^A question to see|is not JSON\.$/
/** The same in the database: `raise exception '…'` and its hint, without holes. */
const RAISED = /(?:raise exception|hint =)\s+'((?:[^'%]|'')*)'/g

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
  ['supabase/functions/', /(?<!\.test)\.ts$/, toldIn],
  ['supabase/migrations/', /\.sql$/, raisedIn],
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
