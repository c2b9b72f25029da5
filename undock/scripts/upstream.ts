// `npm run upstream`: compares the versions of the services that the pinned Supabase CLI starts with the table in
// docs/compatibility.md. Fails when they differ.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'

const FILE = 'docs/compatibility.md'

/** The services that undock replaces, by the name of their stage in the CLI's Dockerfile. */
const SERVICES: Readonly<Record<string, string>> = {
  pg: 'Postgres',
  postgrest: 'PostgREST',
  gotrue: 'Auth',
  storage: 'Storage',
  realtime: 'Realtime',
  pgmeta: 'postgres-meta',
}

/** The path of the CLI's program: a package of its own for each platform. */
function findProgram(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('supabase/package.json'))
  const system = platform() === 'win32' ? 'windows' : platform()
  for (const name of [`${system}-${arch()}`, `${system}-${arch()}-musl`]) {
    try {
      const program = platform() === 'win32' ? 'supabase.exe' : 'supabase'
      return join(dirname(require.resolve(`@supabase/cli-${name}/package.json`)), 'bin', program)
    } catch {}
  }
  throw new Error(`The Supabase CLI has no package for ${system}-${arch()}, or it is not installed: run npm ci.`)
}

/** The version of each service, from the Dockerfile that the program contains as text. It has the newest Postgres first. */
function versionsOf(program: string): Map<string, string> {
  const text = readFileSync(program).toString('latin1')
  const versions = new Map<string, string>()
  for (const [, version = '', stage = ''] of text.matchAll(/FROM [\w./-]+:v?([\w.-]+) AS (\w+)/g)) {
    const service = SERVICES[stage]
    if (service && !versions.has(service)) versions.set(service, version)
  }
  return versions
}

/** The versions that the table names, by service. */
function namedVersions(): Map<string, string> {
  const rows = readFileSync(new URL(`../${FILE}`, import.meta.url), 'utf8').matchAll(
    /^\| ([\w -]+?) \| (\d[\w.-]*) \|/gm,
  )
  return new Map([...rows].map(([, service = '', version = '']) => [service, version]))
}

const started = versionsOf(findProgram())
const named = namedVersions()
const rows = Object.values(SERVICES).map((service) => {
  const [theirs, ours] = [started.get(service) ?? 'not found', named.get(service) ?? 'not named']
  // The table may leave out the patch version.
  return { service, theirs, ours, differs: theirs !== ours && !theirs.startsWith(`${ours}.`) }
})
for (const { service, theirs, ours, differs } of rows)
  console.log(
    `${service.padEnd(14)} the CLI starts ${theirs.padEnd(14)} ${FILE} names ${ours}${differs ? '  (differs)' : ''}`,
  )
const count = rows.filter(({ differs }) => differs).length
if (count > 0)
  console.error(`${count} versions differ. Compare undock with what changed upstream, then correct ${FILE}.`)
process.exit(count === 0 ? 0 : 1)
