#!/usr/bin/env node
// `npm create undock`: makes a project with a Supabase backend, or adds one to the project of a folder. It adds lines and files, shows
// them first, and changes and removes none. Without a terminal it asks nothing.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs, styleText } from 'node:util'

const USAGE = `Usage: npm create undock [folder] [-- options]

A Supabase backend without Docker: for a new project in an empty folder, or for the
project of a folder that has a package.json (Vite, Next.js, Nuxt, SvelteKit, Astro,
React Router, Expo, or Node alone).

Options:
  --starter <name>  an example to begin with: todo, chat, documents, or none
                    (default: todo for a new project, none for another)
  --dry-run         show what would be written, and write nothing
  --no-install      write, and install nothing
  -y, --yes         do not ask
  -h, --help        print this help

Examples:
  npm create undock my-app
  npm create undock . -- --dry-run`

/** What is installed. A tarball or an address may stand for a version: tests of a release use it. */
const VERSIONS = {
  undock: process.env.CREATE_UNDOCK_VERSION ?? 'latest',
  'vite-plugin-undock': process.env.CREATE_UNDOCK_PLUGIN_VERSION ?? 'latest',
  '@supabase/supabase-js': 'latest',
}
const SCHEMA_ADDRESS = 'https://supabase.com/schemas/config/v1.json'
const STARTERS = ['todo', 'chat', 'documents', 'none']

/** The local key that every backend of `supabase start` and undock has. */
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

/** Frameworks, the most special first: several depend on Vite.
 *  @property vite Whether its server takes plugins of Vite; such a project finds its backend by vite-plugin-undock.
 *  @property prefix What the names of variables begin with that a page may read. */
const FRAMEWORKS = [
  { name: 'Next.js', package: 'next', prefix: 'NEXT_PUBLIC_SUPABASE_', file: '.env.local' },
  { name: 'Nuxt', package: 'nuxt', prefix: 'NUXT_PUBLIC_SUPABASE_', file: '.env' },
  { name: 'SvelteKit', package: '@sveltejs/kit', vite: true, prefix: 'PUBLIC_SUPABASE_' },
  { name: 'Astro', package: 'astro', prefix: 'PUBLIC_SUPABASE_', file: '.env' },
  { name: 'Expo', package: 'expo', prefix: 'EXPO_PUBLIC_SUPABASE_', file: '.env.local' },
  { name: 'Vite', package: 'vite', vite: true, prefix: 'VITE_SUPABASE_' },
]
const NODE = { name: 'Node', package: '', prefix: 'SUPABASE_', file: '.env' }

/** @typedef {{ path: string, before: string | null, after: string }} Change */

async function main() {
  const options = readArguments()
  if (!options) return console.log(USAGE) ?? 0
  const { folder, yes, dryRun, install } = options
  const manifestPath = join(folder, 'package.json')
  const isNew = !existsSync(manifestPath)
  const manifest = isNew ? {} : readManifest(manifestPath)
  const installed = { ...manifest.dependencies, ...manifest.devDependencies }
  const framework = FRAMEWORKS.find((one) => one.package in installed) ?? NODE
  const starter = options.starter ?? (isNew && !existsSync(join(folder, 'supabase')) ? 'todo' : 'none')

  console.log(isNew ? `A new project in ${folder}` : `The ${framework.name} project in ${folder}`)
  const { changes, advice } = plan({ folder, manifest, isNew, framework, starter })
  for (const change of changes) show(change, folder)
  if (changes.length === 0) console.log('It has all of it already.')
  if (dryRun) return 0
  if (!yes && changes.length > 0 && process.stdin.isTTY && !(await confirm())) return 1
  for (const { path, after } of changes) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, after)
  }

  const manager = packageManager(folder)
  if (install) {
    run(manager, ['install'], folder)
    if (starter !== 'none' && !run('npx', ['undock', 'init', '--starter', starter], folder, false)) return 1
  }
  const steps = [
    ...(folder === process.cwd() ? [] : [`cd ${relative(process.cwd(), folder) || '.'}`]),
    ...(install ? [] : [`${manager} install`]),
    ...(install || starter === 'none' ? [] : [`npx undock init --starter ${starter}`]),
    ...('vite' in framework || isNew ? [] : ['npx undock start --detach']),
    isNew ? `${manager} start` : `${manager} run dev`,
  ]
  console.log(`\nNext:\n${[...advice, ...steps].map((step) => `  ${step}`).join('\n')}`)
  return 0
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      starter: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'no-install': { type: 'boolean', default: false },
      yes: { type: 'boolean', short: 'y', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return null
  if (positionals.length > 1) throw new Error(`One folder, please: ${positionals.join(', ')}\n\n${USAGE}`)
  if (values.starter !== undefined && !STARTERS.includes(values.starter))
    throw new Error(`There is no starter "${values.starter}". There are: ${STARTERS.join(', ')}`)
  return {
    folder: resolve(positionals[0] ?? '.'),
    starter: values.starter,
    dryRun: values['dry-run'],
    install: !values['no-install'],
    yes: values.yes,
  }
}

function readManifest(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error.message}`)
  }
}

/** @returns the files to write, and what is left to a person. */
function plan({ folder, manifest, isNew, framework, starter }) {
  /** @type {Change[]} */
  const changes = []
  const advice = []
  const change = (name, edit) => {
    const path = join(folder, name)
    const before = existsSync(path) ? readFileSync(path, 'utf8') : null
    const after = edit(before)
    if (after !== null && after !== before) changes.push({ path, before, after })
  }
  change('package.json', (before) => manifestWith(before, manifest, { folder, isNew, framework }))
  // A starter creates the folder itself.
  if (starter === 'none' && !existsSync(join(folder, 'supabase')))
    change(
      'supabase/config.jsonc',
      () => `${JSON.stringify({ $schema: SCHEMA_ADDRESS, project_id: idOf(folder) }, null, 2)}\n`,
    )
  if ('vite' in framework) {
    const name = ['ts', 'mts', 'js', 'mjs']
      .map((end) => `vite.config.${end}`)
      .find((one) => existsSync(join(folder, one)))
    change(name ?? 'vite.config.js', (before) => {
      const edited = viteConfigWith(before)
      if (edited === null)
        advice.push(`# in ${name}: import undock from 'vite-plugin-undock', and undock() first among its plugins`)
      return edited
    })
  } else if (!isNew) change(framework.file, (before) => environmentWith(before, framework.prefix, apiPort(folder)))
  if (isNew) {
    // `undock run` gives it the address and the key.
    change('index.js', (before) => before ?? EXAMPLE)
    change('.gitignore', (before) => before ?? 'node_modules/\n')
  }
  return { changes, advice }
}

const EXAMPLE = `import { createClient } from '@supabase/supabase-js'

const supabase = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_PUBLISHABLE_KEY)
const { data, error } = await supabase.auth.signUp({ email: 'ada@example.org', password: 'four unrelated lamps' })
console.log(error?.message ?? \`Signed up \${data.user.email}\`)
`

const idOf = (folder) => basename(folder).replace(/[^\w.-]+/g, '-') || 'project'

function manifestWith(before, manifest, { folder, isNew, framework }) {
  const next = isNew ? { name: idOf(folder).toLowerCase(), private: true, type: 'module' } : structuredClone(manifest)
  const scripts = isNew
    ? { start: 'undock run -- node index.js', backend: 'undock start' }
    : { ...('vite' in framework ? {} : { backend: 'undock start' }) }
  for (const [name, command] of Object.entries(scripts)) {
    next.scripts ??= {}
    next.scripts[name] ??= command
  }
  const add = (kind, name) => {
    if (next.dependencies?.[name] || next.devDependencies?.[name]) return
    next[kind] = Object.fromEntries(
      Object.entries({ ...next[kind], [name]: VERSIONS[name] }).sort(([a], [b]) => a.localeCompare(b, 'en')),
    )
  }
  add('dependencies', '@supabase/supabase-js')
  add('devDependencies', 'undock')
  if ('vite' in framework) add('devDependencies', 'vite-plugin-undock')
  const indent = /^([ \t]+)"/m.exec(before ?? '')?.[1] ?? '  '
  return JSON.stringify(next) === JSON.stringify(manifest) ? before : `${JSON.stringify(next, null, indent)}\n`
}

/** @returns null where the place for the plugin is not certain. */
function viteConfigWith(before) {
  if (before === null)
    return "import { defineConfig } from 'vite'\nimport undock from 'vite-plugin-undock'\n\nexport default defineConfig({ plugins: [undock()] })\n"
  if (before.includes('vite-plugin-undock')) return before
  const lists = before.match(/\bplugins\s*:\s*\[/g) ?? []
  const imports = [...before.matchAll(/^import .*\n/gm)].at(-1)
  if (lists.length !== 1 || !imports) return null
  const end = imports.index + imports[0].length
  const semicolon = imports[0].trimEnd().endsWith(';') ? ';' : ''
  const quote = imports[0].includes('"') ? '"' : "'"
  const withImport = `${before.slice(0, end)}import undock from ${quote}vite-plugin-undock${quote}${semicolon}\n${before.slice(end)}`
  return withImport.replace(/\bplugins\s*:\s*\[(\s*)(\]?)/, (_, space, close) =>
    close ? 'plugins: [undock()]' : `plugins: [${space}undock(),${space || ' '}`,
  )
}

/** The port that a project's API has, which its configuration may name. */
function apiPort(folder) {
  const path = ['config.json', 'config.jsonc', 'config.toml']
    .map((name) => join(folder, 'supabase', name))
    .find((one) => existsSync(one))
  const port = path?.endsWith('.toml')
    ? /^\[api\][^[]*?^port\s*=\s*(\d+)/m
    : /"api"\s*:\s*\{(?:[^{}]|\{[^{}]*\})*?"port"\s*:\s*(\d+)/
  return port.exec(path ? readFileSync(path, 'utf8') : '')?.[1] ?? '54321'
}

function environmentWith(before, prefix, port) {
  const has = (name) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(before ?? '')
  const lines = Object.entries({ URL: `http://127.0.0.1:${port}`, PUBLISHABLE_KEY }).flatMap(([name, value]) =>
    has(prefix + name) ? [] : `${prefix}${name}=${value}`,
  )
  if (lines.length === 0) return before
  const start = before === null || before.endsWith('\n') || before === '' ? (before ?? '') : `${before}\n`
  return `${start}${lines.join('\n')}\n`
}

/** Prints the lines that a file gets, and those that they take the place of. */
function show({ path, before, after }, folder) {
  console.log(`\n${styleText('bold', relative(folder, path))}${before === null ? ' (new)' : ''}`)
  const old = before?.replace(/\n$/, '').split('\n') ?? []
  let at = 0
  for (const line of after.replace(/\n$/, '').split('\n')) {
    const found = old.indexOf(line, at)
    if (found === -1) console.log(styleText('green', `  + ${line}`))
    else {
      for (const gone of old.slice(at, found)) console.log(styleText('red', `  - ${gone}`))
      at = found + 1
    }
  }
}

async function confirm() {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return !/^n/i.test((await terminal.question('\nWrite this? (Y/n) ')).trim())
  } finally {
    terminal.close()
  }
}

/** By the lockfile, else the one that runs this. */
function packageManager(folder) {
  const files = {
    'pnpm-lock.yaml': 'pnpm',
    'yarn.lock': 'yarn',
    'bun.lock': 'bun',
    'bun.lockb': 'bun',
    'package-lock.json': 'npm',
  }
  const found = Object.entries(files).find(([file]) => existsSync(join(folder, file)))
  return found?.[1] ?? /^(pnpm|yarn|bun)\//.exec(process.env.npm_config_user_agent ?? '')?.[1] ?? 'npm'
}

/** @returns whether it succeeded. */
function run(command, words, cwd, isNeeded = true) {
  console.log(`\n${command} ${words.join(' ')}`)
  const { status } = spawnSync(command, words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0 && isNeeded) throw new Error(`\`${command} ${words.join(' ')}\` failed; what it printed says why.`)
  return status === 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
