import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { commandOf, UNDOCK } from '../support/paths.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'

const PATIENCE = { timeout: 60_000 }
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

let project: TestProject
let vite: ChildProcess
let said = ''
afterEach(async () => {
  if (vite.exitCode === null && vite.signalCode === null) {
    const exit = once(vite, 'exit')
    vite.kill('SIGTERM')
    await exit
  }
  await project.remove()
})

test('a Vite server has a backend that follows migrations, survives a changed config and ends with it', async () => {
  project = await makeProject({
    'config.toml': 'project_id = "page"\n[api]\nauto_expose_new_tables = true\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_notes.sql': 'create table public.notes (id int primary key);',
  })
  const at = (path: string) => join(project.folder, path)
  const [port, plugin] = [await freePort(), join(UNDOCK, 'packages/vite-plugin-undock/index.js')]
  const config = `import undock from ${JSON.stringify(plugin)}
export default { plugins: [undock({ types: 'database.types.ts' })], server: { port: ${port}, host: '127.0.0.1', strictPort: true } }`
  await writeFile(at('vite.config.mjs'), config)
  await writeFile(at('index.html'), '<script type="module" src="/page.js"></script>')
  await writeFile(
    at('page.js'),
    'console.log(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY)',
  )
  vite = spawn(commandOf('vite'), [], {
    cwd: project.folder,
    env: { ...process.env, ...project.ports, VITEST: '', NODE_ENV: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const output of [vite.stdout, vite.stderr]) output?.setEncoding('utf8').on('data', (text) => (said += text))

  const api = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`
  const page = () => fetch(`http://127.0.0.1:${port}/page.js`).then((answer) => answer.text(), String)
  const statusOf = (table: string) =>
    fetch(`${api}/rest/v1/${table}`, { headers: { apikey: SECRET } }).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(page, PATIENCE).toContain(`"VITE_SUPABASE_URL": "${api}"`)
  expect(await page()).toContain('"VITE_SUPABASE_PUBLISHABLE_KEY": "sb_publishable_')
  expect(await statusOf('notes')).toBe(200)
  await expect.poll(() => readFile(at('database.types.ts'), 'utf8').catch(String), PATIENCE).toContain('"notes": {')

  await writeFile(at('supabase/migrations/20260102000000_tags.sql'), 'create table public.tags (id int primary key);')
  await expect.poll(() => statusOf('tags'), PATIENCE).toBe(200)
  await expect.poll(() => readFile(at('database.types.ts'), 'utf8'), PATIENCE).toContain('"tags": {')

  await writeFile(at('supabase/migrations/20260103000000_wrong.sql'), 'create tabel x ();')
  await expect.poll(() => said, PATIENCE).toMatch(/undock: [\s\S]*syntax error at or near "tabel"/)
  await writeFile(at('supabase/migrations/20260103000000_wrong.sql'), 'select 1;')
  await expect.poll(() => said, PATIENCE).toContain('Applied supabase/migrations/20260103000000_wrong.sql')
  await writeFile(at('supabase/migrations/20260102000000_tags.sql'), 'create table public.tags (id int8 primary key);')
  await expect.poll(() => said, PATIENCE).toContain('20260102000000_tags.sql was edited after it was applied')

  await utimes(at('vite.config.mjs'), new Date(), new Date())
  await writeFile(at('vite.config.mjs'), `${config}\n`)
  await expect.poll(() => said, PATIENCE).toContain('server restarted')
  await expect.poll(page, PATIENCE).toContain(`"VITE_SUPABASE_URL": "${api}"`)
  expect(await statusOf('tags')).toBe(200)
  expect(said.match(/undock: started the backend/g)).toHaveLength(1)

  const exit = once(vite, 'exit')
  vite.kill('SIGTERM')
  await exit
  await expect.poll(() => statusOf('tags'), PATIENCE).toBe(0)
})
