import { join } from 'node:path'
import { z } from 'zod'
import { runTool } from './javascript.ts'
import type { FoundCase, Suite } from './suite.ts'
import { startTarget } from './target.ts'

/** The part of realtime-check's output that is parsed. */
const Output = z.object({
  suites: z.record(
    z.string(),
    z.object({ tests: z.array(z.object({ name: z.string(), passed: z.boolean(), error: z.string().nullish() })) }),
  ),
})

const PACKAGES = 'test/e2e'

/** realtime-check, which tests a running project's Realtime. Runs on Bun, which npx downloads. */
export const realtime: Suite = {
  upstream: { repository: 'supabase/realtime', tag: 'v2.129.8', packages: PACKAGES },
  onNodes: true,
  run: async (checkout, options) => {
    const folder = join(checkout, PACKAGES)
    const stack = await startTarget({ workdir: folder }, options)
    try {
      const words = {
        env: 'local',
        url: stack.url,
        'db-url': stack.dbUrl,
        'publishable-key': stack.keys.publishable,
        'secret-key': stack.keys.secret,
        test: options.only || 'functional',
      }
      const args = Object.entries(words).flatMap(([name, value]) => [`--${name}`, value])
      const output = await runTool(folder, 'npx', ['--yes', 'bun', 'run', 'realtime-check.ts', '--json', ...args])
      return { cases: casesOf(Output.parse(JSON.parse(output))), unread: [] }
    } finally {
      await stack.stop()
    }
  },
}

const casesOf = ({ suites }: z.infer<typeof Output>): FoundCase[] =>
  Object.entries(suites).flatMap(([group, { tests }]) =>
    tests.map(({ name, passed, error }) => ({
      group,
      name,
      miss: passed ? null : (error ?? 'it failed'),
      leftOut: null,
    })),
  )
