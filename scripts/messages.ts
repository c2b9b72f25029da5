// `npm run messages`: whether every text of the app is in every catalogue of src/locales, and nothing else is. With --write it
// adds what is missing, empty, for somebody to fill in, and takes out what is no longer said.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from './processes.ts'

const SOURCES = `${ROOT}src/`
const LOCALES = `${SOURCES}locales/`

/** `t('…')` and `msg('…')`, over several lines as well. Texts are literals: one that is put together could not be found. */
const SAID = /(?<![\w.])(?:t|msg)\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g

export function messagesIn(source: string): string[] {
  return [...source.matchAll(SAID)].map(([, literal = '']) =>
    literal
      .slice(1, -1)
      .replaceAll(/\\u([0-9a-f]{4})|\\(.)/gi, (_, code: string | undefined, letter: string) =>
        code ? String.fromCharCode(Number.parseInt(code, 16)) : letter,
      ),
  )
}

const said = new Set<string>()
for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
  if (!/\.tsx?$/.test(name) || /\.test\.tsx?$/.test(name)) continue
  for (const message of messagesIn(readFileSync(SOURCES + name, 'utf8'))) said.add(message)
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
