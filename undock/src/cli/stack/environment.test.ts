import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readProjectConfig } from '../../config/project.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import { systemClock } from '../../kernel/service.ts'
import { prettyStatus, statusVariables } from './environment.ts'

let workdir: string
beforeAll(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-status-'))
})
afterAll(() => rm(workdir, { recursive: true }))

async function stack(env: Record<string, string> = {}) {
  const { config } = readProjectConfig(workdir, env)
  return {
    url: 'http://127.0.0.1:54321',
    dbUrl: 'postgresql://postgres:postgres@127.0.0.1:54322/postgres',
    mailUrl: null,
    poolerUrl: null,
    consoleUrl: null,
    engine: { kind: 'pglite', title: 'PGlite', reason: 'it is asked for', remedy: 'Set it.' } as const,
    identity: await createIdentity({ config: config.auth, clock: systemClock }),
    config,
  }
}

test('status prints the groups of `supabase status` with S3 and without disabled services', async () => {
  const described = await stack()
  const { publishable, secret } = described.identity.keys
  expect(prettyStatus(described)).toBe(`  APIs
    Project URL     http://127.0.0.1:54321
    REST            http://127.0.0.1:54321/rest/v1
    Edge Functions  http://127.0.0.1:54321/functions/v1
  Database
    URL             postgresql://postgres:postgres@127.0.0.1:54322/postgres
    Engine          PGlite, because it is asked for
  Development Tools
    MCP             http://127.0.0.1:54321/mcp
  Authentication Keys
    Publishable     ${publishable}
    Secret          ${secret}
  Storage (S3)
    URL             http://127.0.0.1:54321/storage/v1/s3
    Access Key      625729a08b95bf1b7ff351a663f3a23c
    Secret Key      850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907
    Region          local`)
  const opened = { ...described, mailUrl: 'http://127.0.0.1:54324', consoleUrl: 'http://127.0.0.1:54323' }
  expect(prettyStatus(opened)).toContain(
    '  Development Tools\n    Console         http://127.0.0.1:54323\n    Mail            http://127.0.0.1:54324\n    MCP             http://127.0.0.1:54321/mcp\n',
  )
  const poolerUrl = 'postgresql://postgres.status:postgres@127.0.0.1:54329/postgres'
  expect(prettyStatus({ ...described, poolerUrl })).toContain(`    Pooler          ${poolerUrl}\n`)
})

test.each(['SUPABASE_STORAGE_ENABLED', 'SUPABASE_STORAGE_S3_PROTOCOL_ENABLED'])(
  'without S3 by %s, status prints no S3 values',
  async (variable) => {
    const described = await stack({ [variable]: 'false' })
    expect(prettyStatus(described)).not.toContain('S3')
    expect(Object.keys(statusVariables(described, {})).filter((name) => name.includes('S3'))).toEqual([])
  },
)
