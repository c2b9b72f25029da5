import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeFiles } from '../testing/files.ts'
import { npmSettings } from './import-plan.ts'

test('the nearest .npmrc wins for each key, with variables from the environment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-npmrc-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  vi.stubEnv('HOME', join(folder, 'home'))
  vi.stubEnv('USERPROFILE', join(folder, 'home'))
  onTestFinished(() => void vi.unstubAllEnvs())
  await makeFiles(folder, {
    'home/.npmrc': `registry=https://home.example/\n//home.example/:_authToken=\${TOKEN}\n`,
    'supabase/.npmrc': `; a comment\n@acme:registry = https://acme.example/\nalways=\${NOT_SET}`,
    'supabase/functions/one/.npmrc': 'registry=https://one.example/',
  })
  const of = async (name: string) =>
    (await npmSettings(join(folder, 'supabase/functions'), name, { TOKEN: 't' })).split('\n')
  expect(await of('one')).toEqual([
    'registry=https://one.example/',
    '//home.example/:_authToken=t',
    '@acme:registry=https://acme.example/',
    `always=\${NOT_SET}`,
    '',
  ])
  expect((await of('two'))[0]).toBe('registry=https://home.example/')
})
