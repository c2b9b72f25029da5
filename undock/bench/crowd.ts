// A process with many sockets that join one topic and time the messages they receive. Its parent controls it by
// messages.
import { openRealtimeSocket, type RealtimeSocket } from '../tests/support/realtime-socket.ts'
import type { CrowdCommand, CrowdFigures, CrowdOrder } from './crowd-protocol.ts'

const TOPIC = 'realtime:crowd'
/** The number of sockets that are opened at a time. */
const TOGETHER = 100
/** Minimum of milliseconds between two such groups: the server accepts 2,500 joins a second. */
const GROUP_TIME = 50
/** Milliseconds without a delivery after which the missing ones are given up. */
const TIMEOUT = 20_000

const crowd: RealtimeSocket[] = []
let delivered: number[] = []
let expected = 0
let lastAt = 0
let wake: () => void = () => {}

const now = (): number => performance.timeOrigin + performance.now()
const started = 'sent_at":'

/** Every message contains the time when it was sent. */
function hear(text: string): void {
  const at = text.indexOf(started)
  if (at < 0) return
  lastAt = now()
  delivered.push(lastAt - Number.parseFloat(text.slice(at + started.length, at + started.length + 20)))
  if (delivered.length >= expected) wake()
}

async function join({ url, apikey, count, config, tokens, untilSystem }: CrowdOrder['join']): Promise<void> {
  for (let first = 0; first < count; first += TOGETHER)
    await Promise.all([
      new Promise((resolve) => setTimeout(resolve, GROUP_TIME)),
      ...Array.from({ length: Math.min(TOGETHER, count - first) }, async (_, index) => {
        const socket = await openRealtimeSocket(url, apikey)
        const joined = new Promise<void>((resolve, reject) => {
          socket.onText((text) => {
            if (text.includes('"status":"error"')) reject(new Error(text))
            else if (text.includes(untilSystem ? '"system"' : '"phx_reply"')) resolve()
          })
        })
        const token = tokens?.[(first + index) % tokens.length]
        socket.send('1', '1', TOPIC, 'phx_join', { config, ...(token ? { access_token: token } : {}) })
        await joined
        socket.onText(hear)
        crowd.push(socket)
      }),
    ])
  setInterval(() => {
    for (const socket of crowd) socket.send(null, 'h', 'phoenix', 'heartbeat', {})
  }, 25_000).unref()
}

function expect(deliveries: number): void {
  delivered = []
  expected = deliveries
}

/** Waits for the expected messages. */
async function figures(since: number): Promise<CrowdFigures> {
  lastAt = now()
  await new Promise<void>((resolve) => {
    const watch = setInterval(() => now() - lastAt > TIMEOUT && wake(), 1_000)
    wake = () => {
      clearInterval(watch)
      resolve()
    }
    if (delivered.length >= expected) wake()
  })
  const sorted = delivered.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), deliveries: sorted.length, expected, seconds: (lastAt - since) / 1_000 }
}

async function broadcast({ messages, interval }: CrowdOrder['broadcast']): Promise<CrowdFigures> {
  expect(messages * (crowd.length - 1))
  const since = now()
  for (let sent = 0; sent < messages; sent++) {
    const payload = { sent_at: now(), n: sent }
    crowd[0]?.send('1', null, TOPIC, 'broadcast', { type: 'broadcast', event: 'tick', payload })
    if (interval > 0) await new Promise((resolve) => setTimeout(resolve, interval))
  }
  return figures(since)
}

/** All sockets track their presence at once, and each must receive the presence of all others. */
async function storm(): Promise<CrowdFigures> {
  const since = now()
  const sawAll = crowd.map(
    (socket, index) =>
      new Promise<number>((resolve) => {
        let seen = 0
        socket.onText((text) => {
          seen += text.split('"phx_ref":').length - 1
          if (seen >= crowd.length) resolve(now() - since)
        })
        socket.send('1', `${index}`, TOPIC, 'presence', { type: 'presence', event: 'track', payload: { index } })
      }),
  )
  const times = (await Promise.all(sawAll)).toSorted((a, b) => a - b)
  for (const socket of crowd) socket.onText(hear)
  const last = times.at(-1) ?? Number.NaN
  const middle = times[times.length >> 1] ?? Number.NaN
  const pairs = crowd.length ** 2
  return { p50: middle, p99: last, deliveries: pairs, expected: pairs, seconds: last / 1_000 }
}

function leave(): void {
  for (const { network } of crowd.splice(0)) network.destroy()
}

async function obey(command: CrowdCommand): Promise<CrowdFigures | null> {
  switch (command.do) {
    case 'join':
      await join(command)
      return null
    case 'broadcast':
      return broadcast(command)
    case 'expect':
      expect(command.deliveries)
      return null
    case 'figures':
      return figures(command.since)
    case 'storm':
      return storm()
    case 'leave':
      leave()
      return null
  }
}

process.on('message', (command: CrowdCommand) => {
  obey(command).then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
