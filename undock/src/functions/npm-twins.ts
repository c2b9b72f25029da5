import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const SOURCE = /\.(?:[cm]?[jt]sx?)$/
/** Also types that a name of an import map leads to, as the CLI's new functions have them. */
const SPECIFIER =
  /(['"])((?:jsr:@|https:\/\/(?:esm\.sh|deno\.land|cdn\.skypack\.dev|cdn\.jsdelivr\.net)\/)[^'"\s]+|[^'"\s./][^'"\s]*\.d\.ts)\1/g

/** What the code below a folder imports from hosts of its own and npm has as well: an import map.
 *  A function that so starts from npm's cache and mirrors needs no other host. */
export async function twinsBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const twins: Record<string, string> = {}
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !SOURCE.test(entry.name) || path.includes('node_modules')) continue
    for (const [, , specifier = ''] of (await readFile(path, 'utf8')).matchAll(SPECIFIER)) {
      const twin = twinOf(specifier)
      if (twin !== undefined) twins[specifier] = twin
    }
  }
  return twins
}

/** The same package on npm, or a few lines of our own for std's `serve` and x's `xhr`.
 *  @returns undefined where Deno has to ask the specifier's own host. */
export function twinOf(specifier: string): string | undefined {
  if (/\.d\.ts$/.test(specifier)) return ownModule('nothing.js')
  if (specifier.startsWith('jsr:')) return twinOnJsr(specifier)
  if (/^https:\/\/deno\.land\/std(?:@[^/]+)?\/http\/server\.ts$/.test(specifier)) return ownModule('std-http-server.js')
  if (/^https:\/\/deno\.land\/x\/xhr(?:@[^/]+)?\/mod\.ts$/.test(specifier)) return ownModule('xhr.js')
  return twinOnDenoLand(specifier) ?? twinOnCdn(specifier) ?? twinOnEsmSh(specifier)
}

const ownModule = (name: string): string => new URL(`./deno/${name}`, pathToFileURL(import.meta.filename)).href

/** Packages whose authors publish the same code to jsr and npm. */
const JSR: Readonly<Record<string, string>> = {
  '@hono/hono': 'hono',
  '@openai/openai': 'openai',
  '@panva/jose': 'jose',
  '@zod/zod': 'zod',
}

function twinOnJsr(specifier: string): string | undefined {
  const [, name = '', rest = ''] = /^jsr:\/?(@[^/]+\/[^/@]+)(.*)$/.exec(specifier) ?? []
  const twin = name.startsWith('@supabase/') ? name : JSR[name]
  return twin && `npm:${twin}${rest}`
}

/** The same of deno.land/x: the name there, the file to import, the package. */
const DENO_LAND: Readonly<Record<string, readonly [entry: string, npm: string]>> = {
  grammy: ['mod.ts', 'grammy'],
  hono: ['mod.ts', 'hono'],
  jose: ['index.ts', 'jose'],
  openai: ['mod.ts', 'openai'],
  postgresjs: ['mod.js', 'postgres'],
  zod: ['mod.ts', 'zod'],
}

function twinOnDenoLand(specifier: string): string | undefined {
  const [, name = '', version, file] = /^https:\/\/deno\.land\/x\/([^/@]+)(?:@v?([^/]+))?\/(.+)$/.exec(specifier) ?? []
  const [entry, npm = ''] = DENO_LAND[name] ?? []
  return file === entry && file !== undefined ? `npm:${named(npm, version)}` : undefined
}

const CDN =
  /^https:\/\/(?:cdn\.skypack\.dev\/(?<sky>(?:@[^/]+\/)?[^/?@]+)(?:@(?<skyVersion>[^/?]+))?(?:\?.*)?|cdn\.jsdelivr\.net\/npm\/(?<name>(?:@[^/]+\/)?[^/?@]+)(?:@(?<version>[^/?]+))?\/\+esm)$/

/** A whole package only: a file of it need not be among those that the package exports. */
function twinOnCdn(specifier: string): string | undefined {
  const { sky, skyVersion, name = sky, version = skyVersion } = CDN.exec(specifier)?.groups ?? {}
  return name && `npm:${named(name, version)}`
}

/** Queries ask esm.sh for another build (?target=, ?deps=): npm's packages are already the one for Deno. */
const ESM_SH =
  /^https:\/\/esm\.sh\/(?:v\d+\/|stable\/|(?<pull>pr\/[^/]+\/[^/]+\/))?(?<name>(?:@[^/]+\/)?[^/?@]+)(?:@(?<version>[^/?]+))?(?<rest>\/[^?]*)?(?:\?.*)?$/

function twinOnEsmSh(specifier: string): string | undefined {
  const { pull, name, version, rest = '' } = ESM_SH.exec(specifier)?.groups ?? {}
  if (name === undefined) return undefined
  // A build of a pull request has no version on npm: the published package stands for it.
  const twin = named(name, pull ? undefined : version)
  return rest === '/' ? `npm:/${twin}/` : `npm:${twin}${rest}`
}

const named = (name: string, version: string | undefined): string => (version ? `${name}@${version}` : name)
