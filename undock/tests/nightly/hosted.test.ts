import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND, commandOf } from '../support/paths.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'

// The official CLI deploys a project to `undock hosted`, as it would to the platform.

let project: TestProject
let hosted: ChildProcess
let variables: Record<string, string>

beforeAll(async () => {
  project = await makeProject({
    'config.toml': `project_id = "deployed"
[auth]
minimum_password_length = 9
[auth.email.smtp]
enabled = true
host = "smtp.example"
port = 587
user = "mailer"
pass = "secret"
admin_email = "admin@app.example"
sender_name = "App"
[auth.external.github]
enabled = true
client_id = "app"
secret = "shh"
[functions.hello]
verify_jwt = false
`,
    'migrations/20250101000000_notes.sql': 'create table public.notes (id int primary key, text text);',
    'migrations/20250102000000_note.sql': "insert into public.notes values (1, 'migrated');",
    'functions/_shared/name.ts': "export const name = 'GREETING'",
    'functions/hello/index.ts':
      "import { name } from '../_shared/name.ts'\nDeno.serve(() => new Response(Deno.env.get(name) ?? 'none'))",
    'functions/other/index.ts': "Deno.serve(() => new Response('other'))",
  })
  hosted = spawn(process.execPath, [COMMAND, 'hosted', '--port', String(await freePort())], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [script] = (await once(hosted.stdout ?? hosted, 'data')) as [Buffer]
  variables = Object.fromEntries(
    [...String(script).matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name, value]) => [name, value]),
  )
})
afterAll(async () => {
  const exited = once(hosted, 'exit')
  hosted.kill('SIGINT')
  await exited
  await project.remove()
})

type Outcome = { readonly code: number | null; readonly output: string }

async function supabase(...words: string[]): Promise<Outcome> {
  const child = spawn(commandOf('supabase'), [...words, '--yes'], {
    cwd: project.folder,
    env: { ...process.env, ...variables, HOME: project.folder, SUPABASE_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, output: stdout + stderr }
}

async function deploy(...words: string[]): Promise<string> {
  const { code, output } = await supabase(...words)
  expect(code, output).toBe(0)
  return output
}

/** The keys and the URL of the backend. */
async function backend(): Promise<{ url: string; key: string; secret: string }> {
  const keys = JSON.parse(await deploy('projects', 'api-keys', '--reveal', '-o', 'json').then(jsonOf)) as {
    type: string
    api_key: string
  }[]
  const keyOf = (type: string): string => keys.find((one) => one.type === type)?.api_key ?? ''
  const profile = JSON.parse(await readFile(variables.SUPABASE_PROFILE ?? '', 'utf8')) as { api_url: string }
  const api = new URL(profile.api_url)
  api.port = String(Number(api.port) + 1)
  return { url: api.origin, key: keyOf('publishable'), secret: keyOf('secret') }
}

const jsonOf = (output: string): string => output.slice(output.indexOf('['), output.lastIndexOf(']') + 1)

test('the CLI links the project and pushes migrations', async () => {
  await deploy('link', '--project-ref', variables.SUPABASE_PROJECT_ID ?? '')
  expect(await deploy('projects', 'list')).toContain(variables.SUPABASE_PROJECT_ID)
  expect(await deploy('db', 'push', '--linked')).toContain('20250102000000_note.sql')
  expect(await deploy('db', 'push', '--linked')).toContain('up to date')
  const { url, secret } = await backend()
  expect((await createClient(url, secret).from('notes').select('text')).data).toEqual([{ text: 'migrated' }])
})

test('the CLI deploys functions and their secrets', async () => {
  const { url } = await backend()
  const call = (name: string) =>
    fetch(`${url}/functions/v1/${name}`).then(async (one) => `${one.status} ${await one.text()}`)
  await deploy('functions', 'deploy', '--use-api')
  expect(await call('hello')).toBe('200 none')
  expect(await call('other')).toMatch(/^401/)
  await deploy('secrets', 'set', 'GREETING=it\'s "fine" $x')
  expect(await call('hello')).toBe('200 it\'s "fine" $x')
  expect(await deploy('secrets', 'list')).toContain('GREETING')
  await deploy('secrets', 'unset', 'GREETING')
  expect(await call('hello')).toBe('200 none')
  await deploy('functions', 'delete', 'other')
  expect(await call('other')).toMatch(/^404/)
})

test('a function that cannot boot is refused, and the deployed version stays', async () => {
  const { url } = await backend()
  await project.write('functions/hello/index.ts', "import './missing.ts'")
  expect(await supabase('functions', 'deploy', 'hello', '--use-api')).toMatchObject({
    code: 1,
    output: expect.stringContaining('cannot boot'),
  })
  expect(await fetch(`${url}/functions/v1/hello`).then((one) => one.text())).toBe('none')
})

test('the CLI pushes settings, which take effect once', async () => {
  expect(await deploy('config', 'push')).toContain('minimum_password_length')
  expect(await deploy('config', 'push')).toContain('Remote Auth config is up to date')
  const { url, key } = await backend()
  const { error } = await createClient(url, key).auth.signUp({ email: 'a@b.example', password: '12345678' })
  expect(error?.message).toContain('at least 9 characters')
  const config = await readFile(join(project.folder, 'supabase/.undock/hosted/supabase/config.json'), 'utf8')
  expect(config).not.toContain('smtp')
})
