import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { z } from 'zod'
import { ROOT } from './processes.ts'

/** Failed tests, and those that passed on retry: a line each with file, test and reason. */
export type TestReport = { readonly failed: readonly string[]; readonly retried: readonly string[] }

const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
})

const PlaywrightSpec = z.object({
  title: z.string(),
  file: z.string(),
  line: z.number(),
  tests: z.array(
    z.object({
      status: z.string(),
      results: z.array(z.object({ error: z.object({ message: z.string().optional() }).optional() })),
    }),
  ),
})
type Spec = z.infer<typeof PlaywrightSpec>
type Suite = { specs: Spec[]; suites?: Suite[] | undefined }
const PlaywrightSuite: z.ZodType<Suite> = z.lazy(() =>
  z.object({ specs: z.array(PlaywrightSpec), suites: z.array(PlaywrightSuite).optional() }),
)
const PlaywrightReport = z.object({
  config: z.object({ rootDir: z.string() }),
  suites: z.array(PlaywrightSuite),
  errors: z.array(z.object({ message: z.string().default('') })).default([]),
})

/** Reads Vitest's or Playwright's JSON; null if the run ended before writing it. */
export function readReport(path: string): TestReport | null {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
  const browser = PlaywrightReport.safeParse(json)
  return browser.success ? ofPlaywright(browser.data) : ofVitest(VitestReport.parse(json))
}

function ofVitest({ testResults }: z.infer<typeof VitestReport>): TestReport {
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(ROOT, name)
    const tests = assertionResults.filter((test) => test.status === 'failed')
    // A file that failed outside of its tests, for example in an import or hook.
    if (tests.length === 0) return status === 'failed' ? [line(file, '', message)] : []
    return tests.map(({ fullName, failureMessages }) => line(file, fullName, failureMessages?.[0] ?? ''))
  })
  return { failed, retried: [] }
}

function ofPlaywright({ config, suites, errors }: z.infer<typeof PlaywrightReport>): TestReport {
  const specs = suites.flatMap(specsOf)
  const linesOf = (wanted: string): string[] =>
    specs.flatMap(({ title, file, line: number, tests }) =>
      tests
        .filter(({ status }) => status === wanted)
        .map(({ results }) => {
          const reason = results.find(({ error }) => error)?.error?.message ?? ''
          return line(`${relative(ROOT, `${config.rootDir}/${file}`)}:${number}`, title, reason)
        }),
    )
  return {
    failed: [...errors.map(({ message }) => line('playwright', '', message)), ...linesOf('unexpected')],
    retried: linesOf('flaky'),
  }
}

const specsOf = ({ specs, suites = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(specsOf)]

// biome-ignore lint/suspicious/noControlCharactersInRegex: these begin the colors of a terminal
const COLOR = /\u001B\[[\d;]*m/g
const MAX_REASON_LENGTH = 200

function line(file: string, test: string, reason: string): string {
  const [first = ''] = reason.replaceAll(COLOR, '').trim().split('\n')
  return [file, test, first.slice(0, MAX_REASON_LENGTH)].filter(Boolean).join(' | ')
}
