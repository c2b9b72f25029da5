import { once } from 'node:events'
import { createClient } from '@supabase/supabase-js'
import { z } from 'zod'
import { startStack } from '../test-kit/start-stack.ts'

// A program that has a stack as a worker of a test runner has one. It does the same as the others, with its own name,
// and reports what its stack holds when all have done so, and after a reset.
const [workdir = '', name = ''] = process.argv.slice(2)
const say = (report: object) => process.send?.(report)

const stack = await startStack({ workdir, exclude: ['functions'] })
const supabase = createClient(stack.url, stack.keys.secret, { auth: { persistSession: false } })

await stack.query('insert into public.notes values ($1)', [name])
await stack.createUser({ email: `${name}@example.com` })
await supabase.auth.signInWithOtp({ email: `${name}@example.com` })
await stack.lastMail(`${name}@example.com`)
await supabase.storage.from('docs').upload(name, name)
say({ kind: 'done', url: stack.url })
await once(process, 'message')
const before = await holdings()
await stack.reset()
say({ kind: 'held', before, after: await holdings() })
await stack.stop()
process.disconnect()

async function holdings() {
  const mails = await fetch(`${stack.mailUrl}/api/v1/messages`).then((response) => response.json())
  return {
    rows: (await supabase.from('notes').select()).data,
    users: (await supabase.auth.admin.listUsers()).data.users.map(({ email }) => email),
    files: (await supabase.storage.from('docs').list()).data?.map((file) => file.name),
    mails: z.object({ total: z.number() }).parse(mails).total,
  }
}
