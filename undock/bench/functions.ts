import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { makeProject } from '../tests/support/project.ts'
import { end, startUndock } from '../tests/support/undock.ts'
import { median, milliseconds, table } from './table.ts'

const KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const COLD = 12
const WARM = 200

const CONFIG = `project_id = "functions"
[local_smtp]
enabled = false
[storage]
enabled = false
`
const HELLO = "Deno.serve(async (req) => Response.json({ message: 'Hello ' + (await req.json()).name }))"
const WITH_CLIENT = `import { createClient } from 'jsr:@supabase/supabase-js@2'
const supabase = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!)
Deno.serve(async (req) => Response.json({ message: 'Hello ' + (await req.json()).name, has: Boolean(supabase.from) }))`

/** Calls functions through the gateway with the published client: first calls of functions, then further calls. */
export async function benchFunctions(): Promise<string> {
  const files: Record<string, string> = { 'config.toml': CONFIG }
  for (let n = 0; n < COLD; n++) {
    files[`functions/plain-${n}/index.ts`] = HELLO
    files[`functions/client-${n}/index.ts`] = WITH_CLIENT
  }
  const project = await makeProject(files)
  const stack = await startUndock(project)
  try {
    const { functions } = createClient(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`, KEY, {
      auth: { persistSession: false },
    })
    // Deno itself is started in advance, and packages are downloaded only once.
    await invoke(functions, 'plain-0')
    await invoke(functions, 'client-0')
    const rows: string[][] = []
    for (const [kind, title] of [
      ['plain', 'without imports'],
      ['client', 'with supabase-js'],
    ] as const) {
      const cold: number[] = []
      for (let n = 1; n < COLD; n++) cold.push(await invoke(functions, `${kind}-${n}`))
      const warm: number[] = []
      for (let n = 0; n < WARM; n++) warm.push(await invoke(functions, `${kind}-1`))
      rows.push([`first call, ${title}`, ...shown(cold)], [`further calls, ${title}`, ...shown(warm)])
    }
    return table(['', 'median', 'best', 'worst'], rows)
  } finally {
    await end(stack, 'SIGTERM')
    await project.remove()
  }
}

const shown = (times: readonly number[]): string[] =>
  [median(times), Math.min(...times), Math.max(...times)].map(milliseconds)

async function invoke(functions: SupabaseClient['functions'], name: string): Promise<number> {
  const started = performance.now()
  const { error } = await functions.invoke(name, { body: { name: 'bench' } })
  if (error) throw error
  return performance.now() - started
}
