// What npm installs: the sources and the packages that are JavaScript alone, in few files. Node strips no types below node_modules.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')
const dist = join(root, 'dist')

/** What is loaded by its path: the command, the library, threads, and what the program for an older Node needs. */
const ENTRIES = [
  'cli/main.ts',
  'test-kit/start-stack.ts',
  'test-kit/vitest.ts',
  'test-kit/playwright.ts',
  'database/pglite/worker-entry.js',
  'project-tools/dump/pg-dump-worker.ts',
  'mail/parse-worker.ts',
  'platform/fetched-package.ts',
]

/** Packages with programs of the platform, what is fetched when something needs it, and what a project itself has. */
const EXTERNAL = [
  /^@node-rs\//,
  /^@electric-sql\/pglite(?:$|-(?!tools)|\/)/,
  /^(?:sharp|@aws-sdk\/client-s3)$/,
  /^@nats-io\//,
  /^(?:vitest|@playwright\/test)(?:$|\/)/,
  // Optional parts of packages, which nothing here uses.
  /^(?:@supabase\/pg-topo|pg-native|ioredis|redis|@redis\/client|bufferutil|utf-8-validate)$/,
]

/** `places` changes columns of single lines, and pg_dump's program evaluates code of its own. */
const EXPECTED = ['SOURCEMAP_BROKEN', 'EVAL']

const PLACE = /import\.meta\.(url|filename)/g
const placeholder = /__UNDOCK_PLACE_(URL|FILENAME)__\("([^"]+)"\)/g

/** A module finds the files next to it by its own address, which in a bundle is that of another file. They are copied to where they
 *  are in the sources, so each module keeps its place. */
const places = {
  name: 'undock-places',
  transform(code, id) {
    if (!id.startsWith(source) || !PLACE.test(code)) return null
    const place = relative(source, id).replaceAll('\\', '/').replace(/\.ts$/, '.js')
    return { code: code.replace(PLACE, (_, kind) => `__UNDOCK_PLACE_${kind.toUpperCase()}__("${place}")`), map: null }
  },
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (!file.fileName.endsWith('.map')) continue
      // Names and lines are enough for a readable stack; the sources themselves are twice as large as the program.
      const { sourcesContent: _left, ...map } = JSON.parse(String(file.source))
      file.source = JSON.stringify(map)
    }
  },
  renderChunk(code, chunk) {
    const from = dirname(chunk.fileName)
    return code.replace(placeholder, (_, kind, place) => {
      const url = `new URL("${relative(from, place).replaceAll('\\', '/')}", import.meta.url)`
      return kind === 'URL' ? `${url}.href` : `process.getBuiltinModule("node:url").fileURLToPath(${url})`
    })
  },
}

/** Writes `dist/`.
 *  @returns what each entry exports, by its path. */
export async function bundle() {
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((path) => [path.replace(/\.[jt]s$/, ''), join(source, path)])),
    external: EXTERNAL,
    platform: 'node',
    // Its main file requires parts in a way that a bundle can't follow.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    plugins: [places],
    onLog(level, log, handle) {
      if (!EXPECTED.includes(log.code)) handle(level, log)
    },
  })
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    keepNames: true,
  })
  await build.close()
  copyFiles()
  writeLicences(output.flatMap(({ moduleIds = [] }) => moduleIds))
  return new Map(output.filter(({ isEntry }) => isEntry).map(({ name, exports }) => [name, exports]))
}

/** What is read or run by its path: SQL, the inbox's page, what Deno runs, pg_dump's program, and extensions of SQL alone. */
function copyFiles() {
  cpSync(source, dist, { recursive: true, force: false, filter: (path) => !/\.ts$|[/\\]testing$/.test(path) })
  const require = createRequire(import.meta.url)
  const folderOf = (name) => dirname(dirname(require.resolve(name)))
  cpSync(
    join(folderOf('@electric-sql/pglite-tools'), 'dist/pg_dump.wasm'),
    join(dist, 'project-tools/dump/pg_dump.wasm'),
  )
  for (const name of ['pgtap', 'pgmq']) {
    const from = folderOf(`@electric-sql/pglite-${name}`)
    for (const file of ['package.json', 'LICENSE', `dist/${name}.tar.gz`])
      cpSync(join(from, file), join(dist, 'database/postgres/scripts', name, file))
  }
}

/** Bundled packages keep their licenses. */
function writeLicences(modules) {
  const folders = new Set(
    modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
  )
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
    return `${name} ${version} (${license})\n\n${text}`
  })
  writeFileSync(join(dist, 'LICENSES.txt'), `${texts.toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

/** Writes the declarations that the entries of the library use to a folder. */
export function declare(entries, folder = join(dist, 'types')) {
  const require = createRequire(import.meta.url)
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
  const drafts = mkdtempSync(join(tmpdir(), 'undock-types-'))
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', drafts], {
    stdio: 'inherit',
  })
  const waiting = entries.map((name) => `${name}.d.ts`)
  for (const path of waiting) {
    // The compiler keeps the endings of sources here.
    const text = readFileSync(join(drafts, path), 'utf8').replaceAll(
      /(?<=(?:from|import\() ?['"]\.[^'"]+)\.ts(?=['"])/g,
      '.js',
    )
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    for (const [, specifier] of text.matchAll(/(?:from|import\() ?['"](\.[^'"]+)['"]/g)) {
      const next = join(dirname(path), specifier.replace(/\.js$/, '.d.ts'))
      if (!waiting.includes(next)) waiting.push(next)
    }
  }
  rmSync(drafts, { recursive: true })
}
