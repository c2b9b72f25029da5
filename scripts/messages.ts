// `npm run messages`: checks that the catalogs in src/locales have exactly the app's texts and the backend's errors by
// code. --write adds missing texts without translation and removes unused ones.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { backendTexts } from './error-codes.ts'
import { ROOT } from './processes.ts'

const LOCALES = `${ROOT}src/locales/`

/** `t('…')` and `msg('…')`, possibly over several lines. Texts must be literals, to be found. */
const SAID = /(?<![\w.])(?:t|msg)\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g

const unescaped = (text: string) =>
  text.replaceAll(/\\u([0-9a-f]{4})|\\(.)/gi, (_, code: string | undefined, letter: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : letter,
  )
const textsIn = (source: string): string[] =>
  [...source.matchAll(SAID)].map(([, literal = '']) => unescaped(literal.slice(1, -1)))

const backend = backendTexts()
const said = new Set(backend.keys())
for (const name of readdirSync(`${ROOT}src/`, { recursive: true, encoding: 'utf8' })) {
  if (!/(?<!\.test)\.tsx?$/.test(name)) continue
  for (const text of textsIn(readFileSync(`${ROOT}src/${name}`, 'utf8'))) said.add(text)
}

let faults = 0
for (const name of readdirSync(LOCALES)) {
  const catalogue: Record<string, string> = JSON.parse(readFileSync(LOCALES + name, 'utf8'))
  const missing = [...said].filter((message) => !catalogue[message])
  const unsaid = Object.keys(catalogue).filter((message) => !said.has(message))
  faults += missing.length + unsaid.length
  for (const message of missing)
    console.log(`${name}: missing  ${[message, backend.get(message)].filter(Boolean).join(': ')}`)
  for (const message of unsaid) console.log(`${name}: unsaid   ${message}`)
  if (!process.argv.includes('--write')) continue
  const entries = [...said].sort().map((message) => [message, catalogue[message] ?? ''])
  writeFileSync(LOCALES + name, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
}
console.log(`${said.size} texts, ${faults} faults.`)
process.exit(faults === 0 || process.argv.includes('--write') ? 0 : 1)
