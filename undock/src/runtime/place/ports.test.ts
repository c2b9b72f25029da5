import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readProjectConfig } from '../../config/project.ts'
import { configuredPorts } from './port-assignment.ts'
import { withPorts } from './ports.ts'

let workdir: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-moved-'))
  await mkdir(join(workdir, 'supabase'))
})
afterEach(() => rm(workdir, { recursive: true }))

const PORTS = {
  api: 20_001,
  database: 20_002,
  studio: 20_003,
  mail: 20_004,
  smtp: 20_005,
  pooler: 20_009,
}

async function moved(toml: string, ports = PORTS) {
  await writeFile(join(workdir, 'supabase/config.toml'), toml)
  return readProjectConfig(workdir, withPorts(readProjectConfig(workdir, {}), ports)).config
}

test('moves all ports of a project and its URLs', async () => {
  const config = await moved('[db.pooler]\nenabled = true\n[local_smtp]\nsmtp_port = 54325')
  expect(configuredPorts(config)).toEqual(PORTS)
  expect([config.api.external_url, config.auth.external_url]).toEqual([
    'http://127.0.0.1:20001',
    'http://127.0.0.1:20001/auth/v1',
  ])
})

test("keeps disabled ports off and config.toml's ports at 0", async () => {
  expect(configuredPorts(await moved(''))).toEqual({ ...PORTS, smtp: 0, pooler: 0 })
  const config = await moved('[local_smtp]\nsmtp_port = 54325', { ...PORTS, mail: 0, smtp: 0 })
  expect(configuredPorts(config)).toMatchObject({ mail: 54_324, smtp: 54_325 })
})
