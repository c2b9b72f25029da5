// `prepack` makes the bundle in dist/ and lets the manifest name it, `postpack` takes both back. In the repository nothing is ever built.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, declare } from './bundle.mjs'

const folder = fileURLToPath(new URL('..', import.meta.url))
const at = (...path) => join(folder, ...path)
const manifest = at('package.json')
const aside = at('package.json.aside')
/** The platforms for which a release has a package of PostgreSQL (docs/release-workflow.yml), like "linux-x64 darwin-arm64". Packages
 *  that is not published must not be named. */
const platforms = (process.env.UNDOCK_PLATFORMS ?? '').split(' ').filter(Boolean)
/** Packages that are fetched on demand (src/platform/fetched-package.ts). */
const FETCHED = /^(?:@electric-sql\/pglite(?!-tools)|sharp$|@aws-sdk\/client-s3$|@nats-io\/)/
const require = createRequire(import.meta.url)

const steps = {
  async prepack() {
    steps.postpack()
    const exported = await bundle()
    const vite = join(dirname(require.resolve('vite/package.json')), 'bin', 'vite.js')
    // Whoever packs in a test would else get the libraries as developers have them, with the paths of their sources.
    const env = { ...process.env, NODE_ENV: 'production' }
    execFileSync(process.execPath, [vite, 'build', at('console'), '--logLevel', 'warn'], { stdio: 'inherit', env })
    const published = JSON.parse(readFileSync(manifest, 'utf8'))
    for (const [name, source] of Object.entries(published.exports)) {
      if (!source.endsWith('.ts')) continue
      const entry = source.replace('./src/', '').replace(/\.ts$/, '')
      published.exports[name] = { types: `./dist/types/${entry}.d.ts`, default: guarded(entry, exported.get(entry)) }
    }
    declare([...exported.keys()].filter((entry) => entry.startsWith('test-kit/')))
    const versions = Object.entries(published.dependencies)
    published.dependencies = Object.fromEntries(versions.filter(([name]) => name.startsWith('@node-rs/')))
    published.optionalDependencies = Object.fromEntries(
      platforms.map((platform) => [`@undock/postgres-17-${platform}`, published.version]),
    )
    published.fetched = Object.fromEntries(versions.filter(([name]) => FETCHED.test(name)))
    Object.assign(published, addresses())
    delete published.devDependencies
    delete published.scripts
    renameSync(manifest, aside)
    writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`)
  },
  postpack() {
    rmSync(at('dist'), { recursive: true, force: true })
    if (existsSync(aside)) renameSync(aside, manifest)
  },
}

/** Where the package comes from, as the workflow that publishes it knows: npm compares it with the publisher that it trusts. */
function addresses() {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return {}
  const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`
  return {
    homepage: `${url}/tree/main/undock#readme`,
    repository: { type: 'git', url: `git+${url}.git`, directory: 'undock' },
    bugs: { url: `${url}/issues` },
  }
}

/** An entry that loads the library only on a Node that can: an older one would fail at an import somewhere inside. It loads by
 *  `require`, because a module that awaits at its top could not be required by the CommonJS that Playwright makes of tests. */
function guarded(entry, exported) {
  const path = `./dist/entries/${entry.split('/').at(-1)}.js`
  mkdirSync(at('dist/entries'), { recursive: true })
  writeFileSync(
    at(path),
    `import { createRequire } from 'node:module'
import { isNewEnough, tooOld } from '../../bin/node-version.js'

if (!isNewEnough()) throw new Error(\`\${tooOld()}. As a library it runs in the Node that starts it.\`)
export const { ${exported.join(', ')} } = createRequire(import.meta.url)('../${entry}.js')
`,
  )
  return path
}

const step = steps[process.argv[2]]
if (!step) throw new Error('Usage: node scripts/pack.mjs prepack | postpack')
await step()
