import { deepStrictEqual, ok, rejects } from 'node:assert/strict'
import type { Source } from './answer.ts'
import { sentenceReader } from './cited.ts'
import { askModel, modelSettings } from './model.ts'
import { quote, relevant } from './quote.ts'

const source = (n: number, content: string, related = false): Source => ({
  n,
  passage_id: `p${n}`,
  document_id: `d${n}`,
  title: 'Lamps',
  page: n,
  heading: null,
  content,
  related,
})
const FRESNEL = source(
  1,
  'Augustin Fresnel made the lens in 1822. It gathers light into a beam. Ships see it from afar.',
)
const BEES = source(2, 'Bees make honey in summer. They sleep in winter.')

Deno.test('only what speaks of the question is relevant', () => {
  deepStrictEqual(
    relevant('Who made the Fresnel lens?', [FRESNEL, BEES]).map(({ n }) => n),
    [1],
  )
  deepStrictEqual(relevant('What is the capital of Mongolia?', [FRESNEL, BEES]), [])
  // A language model may find similarities that the words do not show.
  const near = source(3, 'Something else.', true)
  deepStrictEqual(
    relevant('What is the capital of Mongolia?', [near]).map(({ n }) => n),
    [3],
  )
})

Deno.test('a quote is the sentence that has the words, with its citation', () => {
  deepStrictEqual(quote('Who made the lens?', [FRESNEL, BEES]), [
    { text: 'Augustin Fresnel made the lens in 1822.', cites: [1], supported: true },
  ])
})

const READ: readonly [string, string, object[]][] = [
  [
    'each sentence with what it cites',
    'Fresnel made the lens [1]. Bees make honey [2].',
    [
      { text: 'Fresnel made the lens.', cites: [1], supported: true },
      { text: 'Bees make honey.', cites: [2], supported: true },
    ],
  ],
  [
    'a citation behind the full stop',
    'Fresnel made the lens. [1] Bees make honey.[2]',
    [
      { text: 'Fresnel made the lens.', cites: [1], supported: true },
      { text: 'Bees make honey.', cites: [2], supported: true },
    ],
  ],
  [
    'no citation is no support',
    'Fresnel made the lens.',
    [{ text: 'Fresnel made the lens.', cites: [], supported: false }],
  ],
  [
    'a number that is not there',
    'Fresnel made the lens [9].',
    [{ text: 'Fresnel made the lens.', cites: [], supported: false }],
  ],
  [
    'a citation that speaks of something else',
    'Ulan Bator is the capital of Mongolia [1].',
    [{ text: 'Ulan Bator is the capital of Mongolia.', cites: [1], supported: false }],
  ],
  [
    'several at once',
    'The lens gathers light, and bees make honey [1, 2].',
    [{ text: 'The lens gathers light, and bees make honey.', cites: [1, 2], supported: true }],
  ],
  [
    'a sentence without an end',
    'Fresnel made the lens [1]',
    [{ text: 'Fresnel made the lens', cites: [1], supported: true }],
  ],
  ['nothing', '  ', []],
]
for (const [name, text, expected] of READ) {
  Deno.test(`a model's answer is read: ${name}; however it is cut up`, () => {
    for (const size of [1, 3, 1000]) {
      const reader = sentenceReader([FRESNEL, BEES])
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      deepStrictEqual([...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()], expected)
    }
  })
}

Deno.test('without an address and a model there is none', () => {
  deepStrictEqual(
    modelSettings(() => undefined),
    null,
  )
  const set: Record<string, string> = { ASK_API_URL: 'http://x/v1/', ASK_MODEL: 'm' }
  deepStrictEqual(
    modelSettings((name) => set[name]),
    { url: 'http://x/v1', key: null, model: 'm' },
  )
})

async function withEndpoint(
  answer: (request: Request) => Response | Promise<Response>,
  act: (url: string) => Promise<void>,
) {
  const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, answer)
  try {
    await act(`http://127.0.0.1:${server.addr.port}/v1`)
  } finally {
    await server.shutdown()
  }
}

Deno.test('an endpoint is asked with the passages, and its pieces are passed on', async () => {
  let asked: { messages: { role: string; content: string }[] } | undefined
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
  await withEndpoint(
    async (request) => {
      ok(request.url.endsWith('/v1/chat/completions'))
      deepStrictEqual(request.headers.get('authorization'), 'Bearer secret')
      asked = await request.json()
      return new Response(`${chunk('One ')}: ping\n\ndata: no json\n\n${chunk('two.')}data: [DONE]\n\n`)
    },
    async (url) => {
      const pieces: string[] = []
      const turns = [{ question: 'Before?', answer: 'Yes.' }]
      for await (const piece of askModel('Who?', [FRESNEL], turns, { url, key: 'secret', model: 'm' }))
        pieces.push(piece)
      deepStrictEqual(pieces, ['One ', 'two.'])
    },
  )
  deepStrictEqual(
    asked?.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  )
  ok(asked?.messages.at(-1)?.content.includes('[1] Lamps, page 1\n"""\nAugustin'))
})

Deno.test('an endpoint that refuses is an error with its words', async () => {
  await withEndpoint(
    () => new Response('no credit', { status: 402 }),
    async (url) => {
      const pieces = askModel('Who?', [FRESNEL], [], { url, key: null, model: 'm' })
      await rejects(pieces.next(), /answered 402: no credit/)
    },
  )
})
