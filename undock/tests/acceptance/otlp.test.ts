import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { LogLine } from '../../src/runtime/stack/log-files.ts'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'

// Exports the timeline to an OpenTelemetry collector if one is configured.

let project: TestProject
let collector: OtlpCollector

beforeAll(async () => {
  collector = await startOtlpCollector()
  project = await makeProject({
    'config.toml': 'project_id = "otlp"\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_notes.sql': `
      create table public.notes (id int primary key, title text);
      alter table public.notes enable row level security;
      grant all on public.notes to anon, authenticated, service_role;`,
  })
})
afterAll(async () => {
  await project?.remove()
  await collector?.close()
})

const start = (env: Record<string, string>, show: (line: LogLine) => void = () => undefined): Promise<TestStack> =>
  startStack({ workdir: project.folder, exclude: ['realtime'], env: { ...process.env, ...env }, show })

test('exports requests and their work as spans of one trace, without secrets', async () => {
  const stack = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_SERVICE_NAME: 'my-backend' })
  const account = { email: 'ada@example.org', password: 'a steady lamp, kept' }
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const client = createClient(stack.url, stack.keys.publishable, { auth: { persistSession: false } })
  const { data } = await client.auth.signUp(account)
  await fetch(`${stack.url}/rest/v1/notes?select=id`, {
    headers: { apikey: stack.keys.secret, traceparent, cookie: 'session=cookie-secret' },
  })
  await fetch(`${stack.url}/rest/v1/notes`, {
    method: 'POST',
    headers: { apikey: stack.keys.publishable, 'content-type': 'application/json' },
    body: '{"id":1,"title":"a very secret title"}',
  })
  // Stopping sends pending spans.
  await stack.stop()
  const read = collector.spans.find(({ name }) => name === 'GET /rest/v1/notes')
  expect(read).toMatchObject({
    service: 'my-backend',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentSpanId: '00f067aa0ba902b7',
    kind: 2,
    status: 0,
    attributes: {
      'http.request.method': 'GET',
      'url.path': '/rest/v1/notes',
      'http.response.status_code': 200,
      'user.roles': ['service_role'],
    },
  })
  const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === read?.spanId)
  expect(children).toMatchObject([
    { kind: 3, attributes: { 'db.system.name': 'postgresql', 'db.response.returned_rows': 0 } },
  ])
  for (const { start: began, end } of children) {
    expect(began).toBeGreaterThanOrEqual(read?.start ?? 0n)
    expect(end).toBeGreaterThanOrEqual(began)
  }
  const refused = collector.spans.find(({ name }) => name === 'POST /rest/v1/notes')
  const failed = collector.spans.find(({ parentSpanId }) => parentSpanId === refused?.spanId)
  expect(failed).toMatchObject({ status: 2, attributes: { 'db.response.status_code': '42501' } })
  const all = Buffer.concat(collector.bytes).toString('latin1')
  expect(all).toContain('/auth/v1/signup')
  const { access_token = 'none', refresh_token = 'none' } = data.session ?? {}
  for (const secret of [
    account.password,
    access_token,
    refresh_token,
    'cookie-secret',
    'a very secret title',
    ...Object.values(stack.keys),
  ])
    expect(all).not.toContain(secret)
})

test('reports an unreachable collector once, without delaying requests or shutdown, and reconnects later', async () => {
  const port = await freePort()
  const lines: LogLine[] = []
  const stack = await start({ UNDOCK_TIMELINE_OTLP: `http://127.0.0.1:${port}/` }, (line) => lines.push(line))
  const warnings = () => lines.filter(({ message }) => message.startsWith('The timeline cannot be exported'))
  const ask = () => fetch(`${stack.url}/rest/v1/notes?select=id`, { headers: { apikey: stack.keys.publishable } })
  expect((await ask()).status).toBe(200)
  await vi.waitFor(() => expect(warnings()).toHaveLength(1), { timeout: 20_000 })
  const late = await startOtlpCollector(port)
  try {
    await vi.waitFor(
      async () => {
        expect((await ask()).status).toBe(200)
        expect(late.spans.length).toBeGreaterThan(0)
      },
      { timeout: 20_000, interval: 200 },
    )
  } finally {
    await late.close()
  }
  expect(warnings()).toHaveLength(1)
  await ask()
  await stack.stop()
})

test('rejects an invalid endpoint', async () => {
  await expect(start({ UNDOCK_TIMELINE_OTLP: 'collector:4318' })).rejects.toThrow(
    /otlp must be the address of a collector/,
  )
})
