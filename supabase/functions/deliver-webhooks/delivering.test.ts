import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { isPublicAddress } from '../_shared/web/address.ts'
import type { Attempt, ClaimedWebhook } from '../_shared/webhooks/delivery.ts'
import { type DeliveringDeps, deliverWebhooks } from './delivering.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const NEW = `whsec_${btoa('n'.repeat(32))}`
const OLD = `whsec_${btoa('o'.repeat(32))}`

type Report = { delivery: number } & Attempt
type Received = { headers: IncomingMessage['headers']; body: string }

async function withReceiver(
  answer: (request: IncomingMessage, response: ServerResponse, received: number) => void,
  act: (given: {
    received: Received[]
    reports: Report[]
    paused: number[]
    queue: (...ids: number[]) => void
    deps: DeliveringDeps
  }) => Promise<void>,
  change: Partial<DeliveringDeps & { url: string }> = {},
): Promise<void> {
  const received: Received[] = []
  const reports: Report[] = []
  const paused: number[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body })
      answer(request, response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const waiting: ClaimedWebhook[] = []
  const queue = (...ids: number[]) => {
    const deliveries = ids.map((id) => ({
      id,
      message_id: `msg_${id}`,
      type: 'document.added',
      payload: { type: 'document.added', timestamp: '2026-11-24T04:00:00.000Z', data: { title: 'Lämps' } },
    }))
    waiting.push({
      webhook: ID,
      url: change.url ?? `http://hooks.test:${port}/in?a=b`,
      secrets: [NEW, OLD],
      deliveries,
    })
  }
  const deps: DeliveringDeps = {
    take: async () => waiting.shift() ?? null,
    report: async (delivery, outcome) => void reports.push({ delivery, ...outcome }),
    release: async (_, pauseSeconds) => void paused.push(pauseSeconds),
    resolve: async (host) => (host === 'nowhere.test' ? [] : [{ address: '127.0.0.1', family: 4 }]),
    isAllowed: isPublicAddress,
    allowedHosts: new Set([`hooks.test:${port}`]),
    timeout: 5000,
    sleep: async () => {},
    ...change,
  }
  try {
    await act({ received, reports, paused, queue, deps })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const headersOf = ({ headers }: Received) => headers as Record<string, string>

Deno.test('deliveries are signed with both secrets, in order', async () => {
  await withReceiver(
    (_, response) => response.writeHead(200).end('thanks'),
    async ({ received, reports, queue, deps }) => {
      queue(1, 2)
      deepStrictEqual(await deliverWebhooks(deps), { delivered: 2, failed: 0 })
      deepStrictEqual(reports, [
        { delivery: 1, status: 200, answer: 'thanks', problem: null },
        { delivery: 2, status: 200, answer: 'thanks', problem: null },
      ])
      for (const one of received) {
        for (const secret of [NEW, OLD])
          deepStrictEqual(new Webhook(secret).verify(one.body, headersOf(one)), JSON.parse(one.body))
        throws(() => new Webhook(`whsec_${btoa('x'.repeat(32))}`).verify(one.body, headersOf(one)))
        throws(() => new Webhook(NEW).verify(one.body.replace('document', 'comment'), headersOf(one)))
        match(one.body, /^\{"type":"document\.added","timestamp":"2026-11-24T04:00:00\.000Z","data":\{/)
      }
      deepStrictEqual(
        received.map(({ headers }) => headers['webhook-id']),
        ['msg_1', 'msg_2'],
      )
    },
  )
})

Deno.test('deliveries that become due during a call are sent by it, and failures are retried', async () => {
  const waits: number[] = []
  await withReceiver(
    (_, response, received) => response.writeHead(received === 2 ? 503 : 200).end(),
    async ({ reports, queue, deps }) => {
      queue(1)
      const sleep = async (milliseconds: number) => {
        waits.push(milliseconds)
        if (waits.length <= 2) queue(2)
      }
      deepStrictEqual(await deliverWebhooks({ ...deps, sleep }), { delivered: 2, failed: 1 })
      deepStrictEqual(
        reports.map(({ delivery, status }) => [delivery, status]),
        [
          [1, 200],
          [2, 503],
          [2, 200],
        ],
      )
      deepStrictEqual(waits, [2_000, 6_000, 2_000])
    },
  )
})

Deno.test('deliveries without a report from a stopped run are sent again with the same id', async () => {
  await withReceiver(
    (_, response) => response.writeHead(204).end(),
    async ({ received, reports, queue, deps }) => {
      queue(1)
      const report = () => Promise.reject(new Error('the run was stopped'))
      const ended = await deliverWebhooks({ ...deps, report }).catch((error: Error) => error.message)
      deepStrictEqual([ended, reports.length], ['the run was stopped', 0])
      queue(1)
      await deliverWebhooks(deps)
      deepStrictEqual(
        received.map(({ headers }) => headers['webhook-id']),
        ['msg_1', 'msg_1'],
      )
      strictEqual(reports.length, 1)
    },
  )
})

const BAD: readonly [string, (response: ServerResponse) => void, Partial<Report>][] = [
  ['fails', (response) => response.writeHead(503).end('busy'), { status: 503, answer: 'busy' }],
  [
    'redirects',
    (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    { status: 302, answer: '' },
  ],
  [
    'answers with binary data',
    (response) => response.end(new Uint8Array([0, 255])),
    { status: 200, answer: '\uFFFD\uFFFD' },
  ],
  [
    'answers endlessly',
    (response) => {
      response.on('error', () => {})
      const more = () => {
        while (!response.destroyed && response.write('ü'.repeat(9_999)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    },
    { status: 200, answer: 'ü'.repeat(512) },
  ],
  ['closes the connection', (response) => void response.destroy(), { status: null }],
]
for (const [name, answer, expected] of BAD) {
  Deno.test(`a receiver that ${name}`, async () => {
    await withReceiver(
      (_, response) => answer(response),
      async ({ received, reports, queue, deps }) => {
        queue(1)
        await deliverWebhooks(deps)
        strictEqual(received.length, 1)
        deepStrictEqual(reports, [{ ...reports[0], ...expected }])
        if (expected.status === null) match(reports[0]?.problem?.message ?? '', /^The receiver can’t be reached/)
      },
    )
  })
}

Deno.test('a silent receiver times out, and is paused for a minute after three timeouts', async () => {
  await withReceiver(
    () => {},
    async ({ reports, paused, queue, deps }) => {
      queue(1, 2, 3, 4)
      deepStrictEqual(await deliverWebhooks({ ...deps, timeout: 50 }), { delivered: 0, failed: 3 })
      deepStrictEqual(
        [reports.map(({ problem }) => problem?.message ?? null), paused],
        [Array.from({ length: 3 }, () => 'No answer within 0.05 seconds.'), [60]],
      )
    },
  )
})

const PRIVATE = [
  'http://127.0.0.1:1/',
  'https://10.0.0.1/',
  'https://[::1]/',
  'https://rebound.test/',
  'https://[fd00:ec2::254]/',
]
for (const url of PRIVATE) {
  Deno.test(`nothing is sent to ${url}`, async () => {
    await withReceiver(
      (_, response) => response.end(),
      async ({ received, reports, queue, deps }) => {
        queue(1)
        await deliverWebhooks(deps)
        strictEqual(received.length, 0)
        match(reports[0]?.problem?.message ?? '', /isn’t on the public internet/)
      },
      { url },
    )
  })
}

Deno.test('the host is resolved and checked for each attempt', async () => {
  let address = '93.184.216.34'
  const resolved: string[] = []
  await withReceiver(
    (_, response) => response.end(),
    async ({ received, reports, queue, deps }) => {
      const resolve = async () => {
        resolved.push(address)
        const now = address
        address = '127.0.0.1'
        return [{ address: now, family: 4 }]
      }
      queue(1, 2)
      // The first host is public; the test doesn't wait for it.
      await deliverWebhooks({ ...deps, resolve, timeout: 200 })
      deepStrictEqual([resolved, received.length], [['93.184.216.34', '127.0.0.1'], 0])
      match(reports[1]?.problem?.message ?? '', /isn’t on the public internet/)
    },
    { url: 'https://rebinding.test/' },
  )
})

Deno.test('an unknown host is reported, and no attempt starts after the time limit', async () => {
  await withReceiver(
    (_, response) => response.end(),
    async ({ reports, queue, deps }) => {
      queue(1)
      await deliverWebhooks(deps)
      deepStrictEqual(reports[0]?.problem, {
        code: 'receiver_unknown',
        message: 'No host is called nowhere.test.',
        parameters: { host: 'nowhere.test' },
      })
      let time = 0
      queue(2)
      await deliverWebhooks({ ...deps, now: () => (time += 30_000) })
      ok(reports.length === 1)
    },
    { url: 'https://nowhere.test/' },
  )
})
