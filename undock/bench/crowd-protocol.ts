import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type CrowdOrder = {
  /** Opens sockets and joins them to one topic. */
  readonly join: {
    readonly do: 'join'
    readonly url: string
    readonly apikey: string
    readonly count: number
    /** Parameters of the join. */
    readonly config: object
    /** Access tokens, assigned to the sockets in turn. */
    readonly tokens?: readonly string[]
    /** Whether to wait until row changes are subscribed, not only for the join's reply. */
    readonly untilSystem?: boolean
  }
  /** One of the sockets sends. @param interval Milliseconds between two messages. */
  readonly broadcast: { readonly do: 'broadcast'; readonly messages: number; readonly interval: number }
  /** The messages that are counted from now on. */
  readonly expect: { readonly do: 'expect'; readonly deliveries: number }
  /** @param since Milliseconds since the epoch. */
  readonly figures: { readonly do: 'figures'; readonly since: number }
  readonly storm: { readonly do: 'storm' }
  readonly leave: { readonly do: 'leave' }
}

export type CrowdCommand = CrowdOrder[keyof CrowdOrder]

/** Times in milliseconds. */
export type CrowdFigures = {
  readonly p50: number
  readonly p99: number
  readonly deliveries: number
  readonly expected: number
  /** From the first message to the last delivery. */
  readonly seconds: number
}

export type Crowd = { ask(command: CrowdCommand): Promise<CrowdFigures | null>; end(): void }

/** Starts a process with many clients, which keeps their cost apart from the server's. */
export function startCrowd(): Crowd {
  const program = fileURLToPath(new URL('./crowd.ts', import.meta.url))
  const crowd = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    ask: (command) =>
      new Promise((resolve, reject) => {
        crowd.once('message', ({ answer, error }: { answer: CrowdFigures | null; error?: string }) =>
          error ? reject(new Error(error)) : resolve(answer),
        )
        crowd.send(command)
      }),
    end: () => crowd.disconnect(),
  }
}
