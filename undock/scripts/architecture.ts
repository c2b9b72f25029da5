// `node scripts/architecture.ts [--check]`: checks imports against layers.json and the files that the pages name, and draws the
// layers into ARCHITECTURE.md. With --check, as in `npm run lint`, it compares the drawing without writing.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { drawLayers, type Layers, layerFaults } from './layers.ts'

/** Names of imports rather than files. */
const PUBLISHED = new Set(['undock/vitest', 'undock/playwright'])

/** Sentences about links to files that do not exist, and about paths in backquotes that name none.
 *  @param root The folder that no link may leave.
 *  @param pages Patterns of Markdown files below it.
 *  @param bases The folders that a path in backquotes may be relative to; `{page}` is the page's own name. */
function deadReferences(root: string, pages: readonly string[], bases: readonly string[]): string[] {
  return globSync(pages, { cwd: root, exclude: ['**/node_modules/**'] })
    .toSorted()
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8')
      const links = linksIn(text)
        .filter((link) => join(dirname(page), link).startsWith('..') || !existsSync(join(root, dirname(page), link)))
        .map((link) => `${page} links to ${link}, which does not exist here.`)
      // A decision that is no longer valid names files of its time.
      const paths = (/^\*Replaced by /m.test(text) ? [] : pathsIn(text))
        .filter(
          (path) => !bases.some((base) => existsSync(join(root, base.replace('{page}', basename(page, '.md')), path))),
        )
        .map((path) => `${page} names ${path}, which does not exist.`)
      return [...links, ...paths]
    })
}

/** The paths of relative links and pictures, without fragments. */
const linksIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))

/** A text without its blocks and spans of code. */
const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '')

/** Text in backquotes that is a path below a folder. A single name is not checked: its sentence says where it is. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w@.$-]+(?:\/[\w@.$-]+)+\/?)`/g)]
    .map(([, path = '']) => path)
    .filter(
      (path) =>
        /\.(?:ts|tsx|sql|md|yml)$|\/$/.test(path) &&
        !PUBLISHED.has(path) &&
        !path.startsWith('@') &&
        !path.includes('.undock'),
    )

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
