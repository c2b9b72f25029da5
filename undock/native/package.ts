// `node undock/native/package.ts FOLDER`: makes the npm package with the extensions that `npm run native` compiled on this machine, for
// machines of its kind. A release publishes one for each platform (docs/release-workflow.yml); undock names them as optional
// dependencies, so that npm installs the one that fits.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { builtExtensionsFolder, extensionPackage } from '../src/database/postgres/built-extensions.ts'
import { DEFAULT_MAJOR, MAJORS } from '../src/database/postgres/majors.ts'
import { EXTENSIONS, folderName, isCompiled, licencesIn } from './extensions.ts'

const [folder = ''] = process.argv.slice(2)
if (folder === '' || folder.startsWith('-')) stop('node undock/native/package.ts FOLDER')
if (existsSync(folder)) stop(`${folder} exists already.`)

const { version } = readJson(new URL('../package.json', import.meta.url)) as { version: string }
const compiled = MAJORS.flatMap((major) =>
  EXTENSIONS.filter(({ majors }) => majors.includes(major)).map((one) => ({
    ...one,
    major,
    from: join(builtExtensionsFolder(major), folderName(one)),
    to: join(folder, String(major), folderName(one)),
  })),
)
const missing = compiled.filter((one) => !isCompiled(one, one.from))
const essential = missing.filter(({ isEssential = false, major }) => isEssential && major === DEFAULT_MAJOR)
if (essential.length > 0) stop(`Not compiled: ${essential.map(titleOf).join(', ')}`)
if (missing.length > 0) console.error(`Left out, because it was not compiled: ${missing.map(titleOf).join(', ')}`)

const present = compiled.filter((one) => !missing.includes(one))
for (const { from, to } of present) cpSync(from, to, { recursive: true })
cpSync(new URL('../LICENSE', import.meta.url), join(folder, 'LICENSE'))
const lines = present.map((one) => `| ${titleOf(one)} | ${licenceOf(one)} |`)
writeFileSync(
  join(folder, 'README.md'),
  `# Extensions for undock's PostgreSQL on ${process.platform}, ${process.arch}

undock installs this package where it fits. Each extension is unchanged from its release and comes with its licence.

| extension | licence |
|---|---|
${lines.join('\n')}
`,
)
writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify(
    {
      name: extensionPackage,
      version,
      description: `PostgreSQL extensions for undock on ${process.platform}, ${process.arch}`,
      license: 'SEE LICENSE IN README.md',
      os: [process.platform],
      cpu: [process.arch],
      // The server's own package is compiled against glibc alone.
      ...(process.platform === 'linux' ? { libc: ['glibc'] } : {}),
      exports: { './package.json': './package.json' },
    },
    null,
    2,
  )}\n`,
)
console.log(`${extensionPackage} ${version} is in ${folder}.`)

function titleOf({ name, version, major }: { name: string; version: string; major: number }): string {
  return `${name} ${version} for PostgreSQL ${major}`
}

function licenceOf({ source, to }: (typeof compiled)[number]): string {
  if ('folder' in source) return '[LICENSE](LICENSE)'
  return licencesIn(to)
    .map((file) => `[${file}](${relative(folder, to)}/${file})`)
    .join(', ')
}

function readJson(file: URL): object {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}
