// `npm run site -w undock`: builds the site into website/dist. SITE_BASE is the path that it is served at, GITHUB_SERVER_URL and
// GITHUB_REPOSITORY say where its sources are.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { writeReference } from '../scripts/reference.ts'
import { firstPageBytes, MAX_BYTES } from './first-page.ts'
import { writeTexts } from './texts.ts'

/** Sentences about links of the built site that lead to no page, no file, or no place on their page.
 *  @param base The path that the site is served at. */
function deadLinks(dist: string, base: string): string[] {
  const anchors = new Map<string, Set<string>>()
  const anchorsOf = (file: string): Set<string> => {
    const known = anchors.get(file) ?? idsIn(readFileSync(join(dist, file), 'utf8'))
    anchors.set(file, known)
    return known
  }
  return globSync('**/*.html', { cwd: dist })
    .toSorted()
    .flatMap((page) =>
      [...new Set(hrefsIn(readFileSync(join(dist, page), 'utf8')))].flatMap((href) => {
        const [path = '', anchor] = href.split('#', 2)
        const file = path === '' ? page : fileAt(dist, decodeURI(path.slice(base.length - 1)))
        if (file === null) return [`${page} links to ${href}, which does not exist.`]
        if (anchor === undefined || anchor === '' || anchorsOf(file).has(decodeURIComponent(anchor))) return []
        return [`${page} links to ${href}, but that page has no such place.`]
      }),
    )
}

const hrefsIn = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .filter((href) => !/^[a-z]+:/i.test(href))

const idsIn = (html: string): Set<string> => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))

/** The file that a server answers an address with. */
function fileAt(dist: string, path: string): string | null {
  const name = path.replace(/^\//, '')
  const candidates = name === '' || name.endsWith('/') ? [`${name}index.html`] : [`${name}.html`, name]
  return candidates.find((file) => existsSync(join(dist, file))) ?? null
}

const HERE = import.meta.dirname
const DIST = join(HERE, 'dist')
const BASE = process.env.SITE_BASE ?? '/'

installPackages()
writeReference(join(HERE, 'reference'))
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
run(process.execPath, [join(typescript, 'bin/tsc'), '-p', HERE])
rmSync(DIST, { recursive: true, force: true })
run(process.execPath, [join(HERE, 'node_modules/vitepress/bin/vitepress.js'), 'build', HERE])
writeTexts(DIST, BASE)

const faults = deadLinks(DIST, BASE)
const { total, files } = firstPageBytes(DIST, BASE)
if (total > MAX_BYTES)
  faults.push(
    `The first page has ${total} bytes, more than ${MAX_BYTES}:`,
    ...files.map(({ file, bytes }) => `  ${bytes} ${file}`),
  )
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
console.log(`Built ${DIST}; the first page has ${Math.round(total / 1_000)} KB.`)

/** The site's packages are not those of the repository; building the site needs them. */
function installPackages(): void {
  const installed = join(HERE, 'node_modules/.package-lock.json')
  const lock = join(HERE, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', HERE])
}

function run(command: string, args: readonly string[]): void {
  // Without a limit, esbuild's collector lets its memory grow to gigabytes.
  const env = { ...process.env, GOMEMLIMIT: '700MiB' }
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32', env })
  if (status !== 0) process.exit(status ?? 1)
}
