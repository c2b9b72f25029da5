import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const SOURCE = /\.(?:[cm]?[jt]sx?)$/
/** Also matches type declarations that an import map resolves, as the CLI's new functions import them. */
const SPECIFIER =
  /(['"])((?:jsr:@|https:\/\/(?:esm\.sh|deno\.land|cdn\.skypack\.dev|cdn\.jsdelivr\.net)\/)[^'"\s]+|[^'"\s./][^'"\s]*\.d\.ts)\1/g

/** An import map for the code below a folder: it maps imports from other hosts to npm where npm has the same package.
 *  Such a function starts from npm's cache and mirrors and needs no other host. */
export async function npmImportMapBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const imports: Record<string, string> = {}
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !SOURCE.test(entry.name) || path.includes('node_modules')) continue
    for (const [, , specifier = ''] of (await readFile(path, 'utf8')).matchAll(SPECIFIER)) {
      const target = npmSpecifierOf(specifier)
      if (target !== undefined) imports[specifier] = target
    }
  }
  return imports
}

/** The same package on npm, or a small module of ours for `serve` of std and `xhr` of deno.land/x.
 *  @returns undefined when the module must be loaded from the specifier's own host. */
export function npmSpecifierOf(specifier: string): string | undefined {
  if (/\.d\.ts$/.test(specifier)) return ownModule('nothing.js')
  if (specifier.startsWith('jsr:')) return npmFromJsr(specifier)
  if (/^https:\/\/deno\.land\/std(?:@[^/]+)?\/http\/server\.ts$/.test(specifier)) return ownModule('std-http-server.js')
  if (/^https:\/\/deno\.land\/x\/xhr(?:@[^/]+)?\/mod\.ts$/.test(specifier)) return ownModule('xhr.js')
  return npmFromDenoLand(specifier) ?? npmFromCdn(specifier) ?? npmFromEsmSh(specifier)
}

const ownModule = (name: string): string => new URL(`./deno/${name}`, pathToFileURL(import.meta.filename)).href

/** Packages whose authors publish the same code to jsr and npm. */
const JSR: Readonly<Record<string, string>> = {
  '@hono/hono': 'hono',
  '@openai/openai': 'openai',
  '@panva/jose': 'jose',
  '@zod/zod': 'zod',
}

function npmFromJsr(specifier: string): string | undefined {
  const [, name = '', rest = ''] = /^jsr:\/?(@[^/]+\/[^/@]+)(.*)$/.exec(specifier) ?? []
  const target = name.startsWith('@supabase/') ? name : JSR[name]
  return target && `npm:${target}${rest}`
}

/** Packages of deno.land/x that npm has as well: the name there, the file that is imported, the npm package. */
const DENO_LAND: Readonly<Record<string, readonly [entry: string, npm: string]>> = {
  grammy: ['mod.ts', 'grammy'],
  hono: ['mod.ts', 'hono'],
  jose: ['index.ts', 'jose'],
  openai: ['mod.ts', 'openai'],
  postgresjs: ['mod.js', 'postgres'],
  zod: ['mod.ts', 'zod'],
}

function npmFromDenoLand(specifier: string): string | undefined {
  const [, name = '', version, file] = /^https:\/\/deno\.land\/x\/([^/@]+)(?:@v?([^/]+))?\/(.+)$/.exec(specifier) ?? []
  const [entry, npm = ''] = DENO_LAND[name] ?? []
  return file === entry && file !== undefined ? `npm:${named(npm, version)}` : undefined
}

const CDN =
  /^https:\/\/(?:cdn\.skypack\.dev\/(?<sky>(?:@[^/]+\/)?[^/?@]+)(?:@(?<skyVersion>[^/?]+))?(?:\?.*)?|cdn\.jsdelivr\.net\/npm\/(?<name>(?:@[^/]+\/)?[^/?@]+)(?:@(?<version>[^/?]+))?\/\+esm)$/

/** Only whole packages: a single file is not necessarily among the files that the npm package exports. */
function npmFromCdn(specifier: string): string | undefined {
  const { sky, skyVersion, name = sky, version = skyVersion } = CDN.exec(specifier)?.groups ?? {}
  return name && `npm:${named(name, version)}`
}

/** Queries select another build of esm.sh (?target=, ?deps=). They are dropped: npm's package already works in Deno. */
const ESM_SH =
  /^https:\/\/esm\.sh\/(?:v\d+\/|stable\/|(?<pull>pr\/[^/]+\/[^/]+\/))?(?<name>(?:@[^/]+\/)?[^/?@]+)(?:@(?<version>[^/?]+))?(?<rest>\/[^?]*)?(?:\?.*)?$/

function npmFromEsmSh(specifier: string): string | undefined {
  const { pull, name, version, rest = '' } = ESM_SH.exec(specifier)?.groups ?? {}
  if (name === undefined) return undefined
  // The build of a pull request has no version on npm, so the published package is used.
  const target = named(name, pull ? undefined : version)
  return rest === '/' ? `npm:/${target}/` : `npm:${target}${rest}`
}

const named = (name: string, version: string | undefined): string => (version ? `${name}@${version}` : name)
