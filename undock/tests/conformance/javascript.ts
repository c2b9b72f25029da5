import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { z } from 'zod'
import type { Found, FoundCase } from './suite.ts'

export type JavascriptRun = {
  /** The folder of the package to test. */
  readonly folder: string
  readonly runner: 'jest' | 'vitest'
  /** Additional arguments of the runner. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The JSON reports of Jest and Vitest. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})
type TestFile = z.infer<typeof Report>['testResults'][number]

/** Runs a JavaScript package's tests with its installed runner. @throws if the runner reports nothing */
export async function runJavascript({ folder, runner, args, env }: JavascriptRun): Promise<Found> {
  const reports = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const report = join(reports, 'report.json')
    const reporting = runner === 'jest' ? ['--json', '--coverage=false'] : ['run', '--reporter=json']
    await runTool(
      folder,
      join(folder, 'node_modules/.bin', runner),
      [...reporting, `--outputFile=${report}`, ...args],
      env,
    )
    const { testResults } = Report.parse(JSON.parse(await readFile(report, 'utf8')))
    return {
      cases: testResults.flatMap((file) => casesOf(file, relative(folder, file.name))),
      unread: testResults
        .filter(({ assertionResults }) => assertionResults.length === 0)
        .map(({ name, message }) => ({
          place: relative(folder, name),
          reason: firstLines(message ?? 'it has no tests'),
        })),
    }
  } finally {
    await rm(reports, { recursive: true, force: true })
  }
}

/** Runs a program with this process's Node and forwards its standard error. @returns its standard output, whatever its exit code */
export async function runTool(
  cwd: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  return output
}

const casesOf = ({ assertionResults }: TestFile, group: string): FoundCase[] =>
  assertionResults.map(({ ancestorTitles, title, status, failureMessages }) => ({
    group,
    name: [...ancestorTitles, title].join(' › '),
    miss: status === 'failed' ? firstLines(failureMessages?.join('\n') ?? 'it failed') : null,
    leftOut: status === 'passed' || status === 'failed' ? null : 'the suite itself skips them',
  }))

const firstLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
    .slice(0, 6)
    .join(' ')
