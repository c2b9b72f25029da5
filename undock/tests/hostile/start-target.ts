import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { makeProject } from '../support/project.ts'
import { HOSTILE_PROJECT } from './project.ts'
import type { TargetAddress, TargetReport } from './target.ts'

export type Target = TargetAddress & {
  readonly process: ChildProcess
  /** The events since the last report. @throws if the process has ended */
  report(): Promise<TargetReport>
  /** Restores the initial data. */
  reset(): Promise<void>
  stop(): Promise<void>
}

/** Starts a stack in a separate process.
 *  @param state 'disk' stores the data in the project's folder, so it doesn't count as growing memory. */
export async function startTarget(state: 'memory' | 'disk' = 'memory'): Promise<Target> {
  const project = await makeProject(HOSTILE_PROJECT)
  const child = fork(fileURLToPath(new URL('target.ts', import.meta.url)), [project.folder, state], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The stack ended with ${code ?? signal}`)
  })
  ended.catch(() => undefined)
  const answer = <T>(): Promise<T> => Promise.race([once(child, 'message').then(([message]) => message as T), ended])
  const ask = <T>(question: string): Promise<T> => {
    const answered = answer<T>()
    child.send(question, () => undefined)
    return answered
  }
  const address = await answer<TargetAddress>()
  return {
    ...address,
    process: child,
    report: () => ask('report'),
    reset: async () => void (await ask('reset')),
    async stop() {
      if (child.exitCode === null && child.connected) {
        const exit = once(child, 'exit')
        child.send('stop')
        await exit
      }
      await project.remove()
    },
  }
}
