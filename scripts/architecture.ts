// `node scripts/architecture.ts [--check]`: draws the folders and their imports into docs/architecture.md, and checks
// that the files that the documents name exist. With --check, as in `npm test`, it compares without writing.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const DOCUMENT = 'docs/architecture.md'
/** Documents whose paths must exist, each with the folders that its paths may be relative to. `{page}` is the page's own name. */
const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  [DOCUMENT]: ['.', 'undock/src', 'src'],
  'undock/ARCHITECTURE.md': ['.', 'undock', 'undock/src', 'undock/src/database', 'undock/src/rest', 'undock/src/auth'],
  'CONTRIBUTING.md': ['.', 'undock/src', 'src'],
  'docs/compatibility': ['.', 'undock/src', 'undock/src/{page}', 'undock/src/database', 'src'],
  'docs/performance.md': ['.', 'undock/src', 'undock/src/rest', 'undock/src/database'],
  'docs/decisions': ['.', 'undock/src', 'undock/src/rest'],
}
/** Names of imports rather than files. */
const PUBLISHED = new Set(['undock/vitest', 'undock/playwright'])
const DRAWINGS = [
  { name: 'undock', folder: 'undock/src' },
  { name: 'app', folder: 'src' },
] as const

const isCheck = process.argv.includes('--check')
const faults: string[] = []

const before = readFileSync(join(ROOT, DOCUMENT), 'utf8')
let after = before
for (const { name, folder } of DRAWINGS) {
  const [begin, end] = [`<!-- ${name}: drawn by scripts/architecture.ts -->`, `<!-- /${name} -->`]
  const [start, stop] = [after.indexOf(begin), after.indexOf(end)]
  if (start < 0 || stop < start) throw new Error(`${DOCUMENT} has no place for the drawing "${name}"`)
  after = `${after.slice(0, start)}${begin}\n\n${draw(importsBetweenFolders(folder))}\n\n${after.slice(stop)}`
}
if (isCheck && after !== before) faults.push(`${DOCUMENT} shows older imports. Run: node scripts/architecture.ts`)
if (!isCheck) writeFileSync(join(ROOT, DOCUMENT), after)

for (const [documents, folders] of Object.entries(DOCUMENTS)) {
  for (const document of documents.endsWith('.md') ? [documents] : globSync(`${documents}/*.md`, { cwd: ROOT }))
    for (const path of pathsIn(readFileSync(join(ROOT, document), 'utf8')))
      if (!folders.some((folder) => existsSync(join(ROOT, folder.replace('{page}', basename(document, '.md')), path))))
        faults.push(`${document} names ${path}, which does not exist.`)
}
for (const fault of faults) console.error(fault)
process.exit(faults.length === 0 ? 0 : 1)

/** Which folder imports from which, without tests. */
function importsBetweenFolders(folder: string): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>()
  for (const file of globSync('*/**/*.{ts,tsx}', { cwd: join(ROOT, folder) }).toSorted()) {
    const [from] = file.split('/') as [string]
    if (/\.test\.tsx?$|(?:^|\/)testing\//.test(file)) continue
    const known = imports.get(from) ?? new Set()
    imports.set(from, known)
    for (const [, path] of readFileSync(join(ROOT, folder, file), 'utf8').matchAll(
      /(?:from|import\()\s*'(\.[^']+)'/g,
    )) {
      const [to] = relative('.', join(dirname(file), path as string)).split('/') as [string]
      if (to !== from && !to.startsWith('.') && !to.includes('.')) known.add(to)
    }
  }
  return imports
}

/** A Mermaid flowchart. An arrow is left out when a longer path implies it. */
function draw(imports: Map<string, Set<string>>): string {
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const next of imports.get(from) ?? []) if (!seen.has(next)) reachable(next, seen.add(next))
    return seen
  }
  const arrows = [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reachable(other).has(to)))
      .map((to) => `  ${from} --> ${to}`),
  )
  return ['```mermaid', 'flowchart TD', ...arrows.toSorted(), '```'].join('\n')
}

/** Text in backquotes that is a path below a folder. A single name is not checked: its sentence says where it is. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([\w@.$-]+(?:\/[\w@.$-]+)+\/?)`/g)]
    .map(([, path]) => path as string)
    .filter(
      (path) =>
        /\.(?:ts|tsx|sql|md)$|\/$/.test(path) &&
        !PUBLISHED.has(path) &&
        !path.startsWith('@') &&
        !path.includes('.undock'),
    )
}
