import { readdir, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'

const Package = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

/** Returns a package.json's dependencies as an import map: npm packages by version range, folders by path. Others (git,
 *  archives) are left out; importing one fails with Deno's message.
 *  @throws if the file isn't a usable package.json. */
export function packageImports(json: unknown, path: string): Record<string, string> {
  const parsed = Package.safeParse(json)
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`)
  const folder = pathToFileURL(`${dirname(path)}/`)
  return Object.fromEntries(
    Object.entries(parsed.data.dependencies).flatMap(([name, range]): [string, string][] => {
      if (/^(npm|jsr):/.test(range)) return [[name, range]]
      const [, local] = /^(?:file:|link:)?(\.{1,2}\/.*)$/.exec(range) ?? []
      if (local) return [[`${name}/`, new URL(`${local.replace(/\/$/, '')}/`, folder).href]]
      return range.includes(':') || range.includes('/') ? [] : [[name, `npm:${name}@${range === '' ? '*' : range}`]]
    }),
  )
}

const SOURCE = /\.(?:[cm]?[jt]sx?)$/
/** Also matches type declarations resolved by an import map, as in the CLI's new functions. */
const SPECIFIER =
  /(['"])((?:jsr:@|https:\/\/(?:esm\.sh|deno\.land|cdn\.skypack\.dev|cdn\.jsdelivr\.net)\/)[^'"\s]+|[^'"\s./][^'"\s]*\.d\.ts)\1/g

/** Deno imports `ADDRESS/jsx-runtime`. */
const JSX_SOURCE = /@jsxImportSource\s+(https:[^\s*]+)/g

const QUOTED = /(['"])([^'"\s]+)\1/g

type Imports = Readonly<Record<string, string>>

export async function readSources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes('node_modules'))
  return Promise.all(paths.map((path) => readFile(path, 'utf8')))
}

/** Returns an import map from other hosts to npm, for packages npm has as well. Functions then start from npm's cache
 *  and mirrors without any other host. */
export function npmImportMap(sources: readonly string[]): Imports {
  const found = sources.flatMap((text) => [...text.replaceAll(JSX_SOURCE, "'$1/jsx-runtime'").matchAll(SPECIFIER)])
  return mapped(found.map(([, , specifier = '']) => [specifier, specifier]))
}

/** Returns the same for imports by prefixes of the sources' own import map, such as `std/` for https://deno.land/std/. */
export function npmImportMapOf(sources: readonly string[], own: Imports): Imports {
  const prefixes = Object.entries(own).filter(([name, address]) => name.endsWith('/') && address.startsWith('https://'))
  if (prefixes.length === 0) return {}
  const quoted = sources.flatMap((text) => [...text.matchAll(QUOTED)].map(([, , one = '']) => one))
  return mapped(
    prefixes.flatMap(([name, address]) =>
      quoted
        .filter((specifier) => specifier.startsWith(name))
        .map((specifier): [string, string] => [specifier, address + specifier.slice(name.length)]),
    ),
  )
}

/** @param resolved Specifiers and their addresses. */
const mapped = (resolved: readonly (readonly [specifier: string, address: string])[]): Imports =>
  Object.fromEntries(
    resolved.flatMap(([specifier, address]) => {
      const target = npmSpecifierOf(address)
      return target === undefined ? [] : [[specifier, target]]
    }),
  )

/** Returns the npm package or Node module equal to a specifier's, or undock's own replacement for std's `serve` and
 *  encodings and for deno.land/x/xhr.
 *  @returns undefined if the module must come from the specifier's host. */
export function npmSpecifierOf(specifier: string): string | undefined {
  if (/\.d\.ts$/.test(specifier)) return ownModule('nothing.js')
  const encoding = STD_ENCODING.exec(specifier)?.groups
  if (encoding) return ownModule(`std-${encoding.jsr ?? encoding.std}.js`)
  if (DOTENV_LOAD.test(specifier)) return ownModule('nothing.js')
  if (specifier.startsWith('jsr:')) return npmFromJsr(specifier)
  if (/^https:\/\/deno\.land\/std(?:@[^/]+)?\/http\/server\.ts$/.test(specifier)) return ownModule('std-http-server.js')
  if (/^https:\/\/deno\.land\/x\/xhr(?:@[^/]+)?\/mod\.ts$/.test(specifier)) return ownModule('xhr.js')
  const [, ofNode] = /^https:\/\/deno\.land\/std(?:@[^/]+)?\/node\/([a-z_/]+)\.ts$/.exec(specifier) ?? []
  if (ofNode !== undefined && isBuiltin(ofNode)) return `node:${ofNode}`
  return npmFromDenoLand(specifier) ?? npmFromCdn(specifier) ?? npmFromEsmSh(specifier)
}

/** Reads .env, which functions don't have, hosted or here: their variables are set. */
const DOTENV_LOAD =
  /^(?:https:\/\/deno\.land\/(?:std(?:@[^/]+)?|x)\/dotenv(?:@[^/]+)?\/load\.ts|jsr:\/?@std\/dotenv(?:@[^/]+)?\/load)$/

/** std modules that are the same in all versions, except for older names of `encode` and `decode`. Older versions of
 *  deno.land's `hex` used other types. */
const STD_ENCODING =
  /^(?:jsr:\/?@std\/encoding(?:@[^/]+)?\/(?<jsr>base64|base64url|hex)|https:\/\/deno\.land\/std(?:@[^/]+)?\/encoding\/(?<std>base64|base64url)\.ts)$/

const ownModule = (name: string): string => new URL(`./deno/${name}`, import.meta.url).href

/** Packages whose authors publish the same code to jsr and npm. */
const JSR: Readonly<Record<string, string>> = {
  '@bradenmacdonald/s3-lite-client': '@bradenmacdonald/s3-lite-client',
  '@henrygd/queue': '@henrygd/queue',
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

/** deno.land/x packages that npm has as well: name, entry file, npm package. */
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

/** Whole packages only: npm packages don't necessarily export single files. */
function npmFromCdn(specifier: string): string | undefined {
  const { sky, skyVersion, name = sky, version = skyVersion } = CDN.exec(specifier)?.groups ?? {}
  return name && `npm:${named(name, version)}`
}

/** esm.sh's queries (?target=, ?deps=) select another build. Dropped, since npm's package works in Deno. */
const ESM_SH =
  /^https:\/\/esm\.sh\/(?:v\d+\/|stable\/|(?<pull>pr\/[^/]+\/[^/]+\/))?(?<name>(?:@[^/]+\/)?[^/?@]+)(?:@(?<version>[^/?]+))?(?<rest>\/[^?]*)?(?:\?.*)?$/

/** esm.sh packages from GitHub or jsr rather than npm. */
const ESM_SH_ELSEWHERE = /^https:\/\/esm\.sh\/(?:v\d+\/|stable\/)?(?:gh\/|jsr\/(?<jsr>@[^?]+))/

function npmFromEsmSh(specifier: string): string | undefined {
  const elsewhere = ESM_SH_ELSEWHERE.exec(specifier)
  if (elsewhere) return elsewhere.groups?.jsr && npmFromJsr(`jsr:${elsewhere.groups.jsr}`)
  const { pull, name, version, rest = '' } = ESM_SH.exec(specifier)?.groups ?? {}
  if (name === undefined) return undefined
  // A pull request's build isn't on npm: use the published package.
  const target = named(name, pull ? undefined : version)
  return rest === '/' ? `npm:/${target}/` : `npm:${target}${rest}`
}

const named = (name: string, version: string | undefined): string => (version ? `${name}@${version}` : name)
