// `node scripts/architecture.ts [--check]`: checks imports against layers.json and the files that the pages name, and draws the
// layers into ARCHITECTURE.md. With --check, as in `npm run lint`, it compares the drawing without writing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deadReferences } from './documents.ts'
import { drawLayers, type Layers, layerFaults } from './layers.ts'

export type Half = {
  readonly root: string
  /** The source's folder below the root. */
  readonly source: string
  /** The page that has the drawing. */
  readonly map: string
  readonly pages: readonly string[]
  /** The folders that paths in the pages may be relative to. */
  readonly bases: readonly string[]
}

/** Prints faults and exits with 1 if there are any. */
export function checkArchitecture({ root, source, map, pages, bases }: Half): void {
  const layers: Layers = JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8'))
  const faults = [...layerFaults(join(root, source), layers), ...deadReferences(root, pages, bases)]
  const before = readFileSync(join(root, map), 'utf8')
  const after = before.replace(/(<!-- layers -->\n).*?(<!-- \/layers -->)/s, `$1\n${drawLayers(layers)}\n\n$2`)
  if (!process.argv.includes('--check')) writeFileSync(join(root, map), after)
  else if (after !== before) faults.push(`${map} shows other layers. Run: node scripts/architecture.ts`)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exit(1)
}

if (import.meta.main)
  checkArchitecture({
    root: join(import.meta.dirname, '..'),
    source: 'src',
    map: 'ARCHITECTURE.md',
    pages: ['*.md', 'docs/**/*.md', 'native/*.md', 'tests/**/*.md', 'website/guide/*.md'],
    bases: ['.', 'src', 'src/{page}', 'src/database', 'src/rest', 'src/auth', 'tests/conformance'],
  })
