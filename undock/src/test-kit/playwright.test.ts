import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const CLI = createRequire(import.meta.url).resolve('@playwright/test/cli')
const CONFIG = fileURLToPath(new URL('../testing/playwright/playwright.config.ts', import.meta.url))

/** Milliseconds for a whole run on a busy machine. */
const TIMEOUT = 300_000

const Outcome = z.object({
  ok: z.boolean(),
  title: z.string(),
  tests: z.tuple([
    z.object({
      annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
      results: z.array(
        z.object({
          workerIndex: z.number(),
          errors: z.array(z.object({ message: z.string() })),
          attachments: z.array(z.object({ name: z.string(), body: z.string().optional() })),
        }),
      ),
    }),
  ]),
})
const Report = z.object({
  errors: z.array(z.object({ message: z.string() })),
  suites: z.tuple([z.object({ specs: z.array(Outcome), suites: z.array(z.object({ specs: z.array(Outcome) })) })]),
})

// A separate run, like in a project. No test uses a page, so no browser starts.
test(
  "each Playwright test gets a fresh stack at its worker's URL",
  async () => {
    const output = await mkdtemp(join(tmpdir(), 'undock-playwright-'))
    onTestFinished(() => rm(output, { recursive: true, force: true }))
    const parts = [CLI, 'test', '--config', CONFIG, '--output', output]
    const { stdout } = await promisify(execFile)(process.execPath, parts).catch((error: { stdout: string }) => error)
    const { errors, suites } = Report.parse(JSON.parse(stdout))
    expect(errors).toEqual([])
    const all = suites[0].suites.flatMap((suite) => suite.specs).concat(suites[0].specs)
    const [failed] = all.filter(({ ok }) => !ok)
    const attached = failed?.tests[0].results[0]?.attachments.map(({ body = '' }) =>
      Buffer.from(body, 'base64').toString(),
    )
    expect(attached?.[0]).toContain('GET /rest/v1/lists?select=name')
    expect(attached?.[0]).toContain('SQL as service_role')
    expect(JSON.parse(attached?.[1] ?? '')).toMatchObject([{ service: 'rest', caller: { role: 'service_role' } }])
    const specs = all.filter((spec) => spec !== failed)
    expect(specs.flatMap(({ tests }) => tests[0].results.flatMap((result) => result.errors))).toEqual([])
    expect(specs.map(({ title, ok }) => [title, ok])).toEqual([
      ['finds nothing of the others: one', true],
      ['finds nothing of the others: two', true],
      ['finds nothing of the others: three', true],
      ['a test', true],
      ['and the next share what they do', true],
    ])
    const urlsOf = new Map<number, Set<string | undefined>>()
    for (const { tests } of specs.slice(0, 3)) {
      const [{ annotations, results }] = tests
      const worker = results[0]?.workerIndex ?? -1
      urlsOf.set(worker, (urlsOf.get(worker) ?? new Set()).add(annotations[0]?.description))
    }
    // A single fast worker may have run them all.
    expect(new Set([...urlsOf.values()].flatMap((urls) => [...urls])).size).toBe(urlsOf.size)
  },
  TIMEOUT,
)
