// `node undock/tests/release/api-reports.ts` checks whether the library's exports match docs/api; `--write` updates it. Needs API
// Extractor from `npm ci --prefix undock/tests/release`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { declare } from '../../scripts/bundle.mjs'
import { UNDOCK } from '../support/paths.ts'

const EXTRACTOR = join(import.meta.dirname, 'node_modules/@microsoft/api-extractor/bin/api-extractor')
const COMMAND = 'node undock/tests/release/api-reports.ts --write'
const REPORTS = join(UNDOCK, 'docs', 'api')

/** The entries of package.json, by the declaration file of each. */
const ENTRIES = { undock: 'start-stack', 'undock-vitest': 'vitest', 'undock-playwright': 'playwright' }

const isWriting = process.argv.includes('--write')
const work = mkdtempSync(join(tmpdir(), 'undock-api-'))
const types = join(work, 'types')
try {
  declare(
    Object.values(ENTRIES).map((file) => `test-kit/${file}`),
    types,
  )
  writeFileSync(join(work, 'package.json'), '{"name": "undock"}')
  // Types that declarations use from packages. The library itself isn't in node_modules, where it would count as foreign.
  const vitest = dirname(createRequire(join(UNDOCK, 'package.json')).resolve('vitest/package.json'))
  symlinkSync(dirname(vitest), join(work, 'node_modules'), 'dir')
  const failed = Object.entries(ENTRIES).filter(([name, file]) => !isAsReported(name, file))
  if (failed.length > 0) process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Compares an entry with its report or writes it, and prints the differences. */
function isAsReported(name: string, file: string): boolean {
  const config = join(work, `${name}.json`)
  writeFileSync(config, JSON.stringify(settings(name, file)))
  const words = ['run', '--config', config, ...(isWriting ? ['--local'] : [])]
  const { status, stdout, stderr } = spawnSync(process.execPath, [EXTRACTOR, ...words], { encoding: 'utf8' })
  if (status === 0) {
    console.log(`${name}: ${readFileSync(join(REPORTS, `${name}.api.md`), 'utf8').split('\n').length} lines`)
    return true
  }
  const reports = [join(REPORTS, `${name}.api.md`), join(work, `${name}.api.md`)]
  const changes = spawnSync('git', ['diff', '--no-index', '--no-color', ...reports], { encoding: 'utf8' }).stdout
  if (changes) console.error(`${name} does not export what docs/api/${name}.api.md says:\n${changes}`)
  else console.error(`${stdout}${stderr}`)
  console.error(`If that is meant, \`${COMMAND}\` writes the report, and undock/CHANGELOG.md tells users.`)
  return false
}

/** From API Extractor: only a report. Types that an entry mentions but doesn't export are faults, except the first entry's types
 *  in others. */
function settings(name: string, file: string): object {
  const logLevel = name === 'undock' ? 'error' : 'none'
  const off = { default: { logLevel: 'none' } }
  const entry = join(types, 'test-kit', `${file}.d.ts`)
  return {
    projectFolder: work,
    mainEntryPointFilePath: entry,
    compiler: {
      overrideTsconfig: {
        compilerOptions: { target: 'es2022', module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'] },
        files: [entry],
      },
    },
    apiReport: { enabled: true, reportFolder: REPORTS, reportTempFolder: work, reportFileName: name },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      extractorMessageReporting: { ...off, 'ae-forgotten-export': { logLevel, addToApiReportFile: false } },
      tsdocMessageReporting: off,
    },
  }
}
