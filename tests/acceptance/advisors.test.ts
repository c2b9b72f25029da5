import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const Findings = z.array(
  z.object({
    name: z.string(),
    detail: z.string(),
    metadata: z.looseObject({
      schema: z.optional(z.string()),
      name: z.string(),
      fkey_columns: z.optional(z.array(z.number())),
    }),
  }),
)

test('the advisors find nothing new in the database', () => {
  const { SUPABASE_DB_URL: _, ...env } = process.env
  const args = ['undock/bin/undock.js', 'advisors', '--level', 'info', '--output', 'json']
  const findings = Findings.parse(
    JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })),
  )
  const counts = Object.entries(Object.groupBy(findings, ({ name }) => name)).map(([name, of = []]) => [
    name,
    of.length,
  ])
  // Reasons are in docs/decisions/0033-remaining-advisor-findings.md.
  expect(Object.fromEntries(counts)).toEqual({
    authenticated_security_definer_function_executable: 42,
    anon_security_definer_function_executable: 2,
    function_search_path_mutable: 7,
    unindexed_foreign_keys: 24,
    rls_enabled_no_policy: 30,
    no_primary_key: 2,
    unused_index: expect.any(Number),
  })
  for (const { name, detail, metadata } of findings) {
    if (name === 'rls_enabled_no_policy') expect(metadata.schema, detail).toBe('private')
    if (name === 'unindexed_foreign_keys') expect(metadata.fkey_columns?.length, detail).toBeGreaterThan(1)
  }
})
