import { readdir, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'

const Package = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

/** The dependencies of a function's package.json as an import map: npm packages by their version ranges, folders by
 *  path. Dependencies from elsewhere (git, archives) are left out; importing one fails with Deno's own message.
 *  @throws when the file is not a usable package.json. */
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
/** Also matches type declarations that an import map resolves, as the CLI's new functions import them. */
const SPECIFIER =
  /(['"])((?:jsr:@|https:\/\/(?:esm\.sh|deno\.land|cdn\.skypack\.dev|cdn\.jsdelivr\.net)\/)[^'"\s]+|[^'"\s./][^'"\s]*\.d\.ts)\1/g

/** Text in quotes that may be a specifier. */
const QUOTED = /(['"])([^'"\s]+)\1/g

type Imports = Readonly<Record<string, string>>

/** The texts of all source files below a folder. */
export async function readSources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes('node_modules'))
  return Promise.all(paths.map((path) => readFile(path, 'utf8')))
}

/** An import map for source files: it maps imports from other hosts to npm where npm has the same package. Such a function starts
 *  from npm's cache and mirrors and needs no other host. */
export function npmImportMap(sources: readonly string[]): Imports {
  const specifiers = sources.flatMap((text) => [...text.matchAll(SPECIFIER)].map(([, , specifier = '']) => specifier))
  return mapped(specifiers.map((specifier) => [specifier, specifier]))
}

/** The same for what source files import by the prefixes of their own import map, such as `std/` for https://deno.land/std/. */
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

/** @param resolved Specifiers with what they stand for. */
const mapped = (resolved: readonly (readonly [specifier: string, address: string])[]): Imports =>
  Object.fromEntries(
    resolved.flatMap(([specifier, address]) => {
      const target = npmSpecifierOf(address)
      return target === undefined ? [] : [[specifier, target]]
    }),
  )

/** The same package on npm, the same module of Node, or a small module of ours for `serve` and some encodings of std,
 *  and for `xhr` of deno.land/x.
 *  @returns undefined when the module must be loaded from the specifier's own host. */
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

/** It reads the file .env, which neither hosted functions nor those here have: their variables are set. */
const DOTENV_LOAD =
  /^(?:https:\/\/deno\.land\/(?:std(?:@[^/]+)?|x)\/dotenv(?:@[^/]+)?\/load\.ts|jsr:\/?@std\/dotenv(?:@[^/]+)?\/load)$/

/** Modules of std that do not change from version to version, but for the older names of `encode` and `decode`. `hex` of deno.land
 *  took and gave other types in its older versions. */
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

/** What esm.sh takes from GitHub or jsr instead of npm. */
const ESM_SH_ELSEWHERE = /^https:\/\/esm\.sh\/(?:v\d+\/|stable\/)?(?:gh\/|jsr\/(?<jsr>@[^?]+))/

function npmFromEsmSh(specifier: string): string | undefined {
  const elsewhere = ESM_SH_ELSEWHERE.exec(specifier)
  if (elsewhere) return elsewhere.groups?.jsr && npmFromJsr(`jsr:${elsewhere.groups.jsr}`)
  const { pull, name, version, rest = '' } = ESM_SH.exec(specifier)?.groups ?? {}
  if (name === undefined) return undefined
  // The build of a pull request has no version on npm, so the published package is used.
  const target = named(name, pull ? undefined : version)
  return rest === '/' ? `npm:/${target}/` : `npm:${target}${rest}`
}

const named = (name: string, version: string | undefined): string => (version ? `${name}@${version}` : name)
