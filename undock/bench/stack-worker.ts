// A worker like those of test runners: it has its own stack, resets it as often as requested, then waits for the end.
import { once } from 'node:events'
import { startWholeStack } from '../src/test-kit/whole-stack.ts'

const [workdir = '', rounds] = process.argv.slice(2)

const stack = await startWholeStack({ workdir, engine: 'native', exclude: ['functions'] })
// Milliseconds since the process began.
const ready = performance.now()
const resets: number[] = []
for (let round = 0; round < Number(rounds); round++) {
  await stack.query(`insert into public.lists values (1, 'left over')`)
  const before = performance.now()
  await stack.reset()
  resets.push(performance.now() - before)
  if ((await stack.query('select * from public.lists')).length > 0) throw new Error('A reset left a row')
}
process.send?.({ ready, resets, origin: stack.origin })
// Also when the benchmark was aborted.
await Promise.race([once(process, 'message'), once(process, 'disconnect')])
await stack.stop()
if (process.connected) process.disconnect()
