import { deepStrictEqual, ok, rejects } from 'node:assert/strict'
import type { Source } from './answer.ts'
import { sentenceReader } from './cited.ts'
import { evidenceOf } from './evidence.ts'
import { askModel, modelSettings } from './model.ts'
import { answering, quote } from './quote.ts'
import { unitsOf } from './sentences.ts'

/** A passage as the search gives it: with these words of the question in it. */
const source = (n: number, content: string, matched: string[] = []): Source => ({
  n,
  passage_id: `p${n}`,
  document_id: `d${n}`,
  title: 'Lamps',
  page: n,
  heading: null,
  content,
  matched,
  highlights: matched.flatMap((word) =>
    Array.from(content.matchAll(new RegExp(`\\b${word}`, 'gi')), ({ index }): [number, number] => [
      index,
      index + word.length,
    ]),
  ),
  related: false,
  recognized: false,
})
const FRESNEL = source(
  1,
  'Augustin Fresnel made the lens in 1822. It gathers light into a beam. Ships see it from afar.',
)
const BEES = source(2, 'Bees make honey in summer. They sleep in winter.')

const places = (question: string, words: Record<string, number>, sources: Source[]) =>
  evidenceOf(
    question,
    Object.entries(words).map(([word, weight]) => ({ word, weight })),
    sources,
  )

Deno.test('a place answers when it has most of the question, where rare words count more', () => {
  const lamp = source(1, 'The lamp was made by hand.', ['lamp', 'made'])
  const answers = (words: Record<string, number>) => answering(places('Who made the lamp in Mongolia?', words, [lamp]))
  deepStrictEqual(answers({ made: 1, lamp: 3, Mongolia: 3 }).length, 1)
  deepStrictEqual(answers({ made: 1, lamp: 1, Mongolia: 6 }).length, 0)
  deepStrictEqual(answering(places('Who?', {}, [lamp])), [])
})

Deno.test('a word taken for a typing error counts half', () => {
  const [exact] = places('What cuts?', { cuts: 2 }, [source(1, 'Acid cuts them.', ['cuts'])])
  const [corrected] = places('What ctus?', { cuts: 2 }, [source(1, 'Acid cuts them.', ['cuts'])])
  deepStrictEqual([exact?.coverage, corrected?.coverage], [1, 0.5])
})

Deno.test('the place where the words stand closest together comes first', () => {
  const far = source(1, 'The lamp is old. It rains. It snows. A keeper came.', ['lamp', 'keeper'])
  const near = source(2, 'The keeper lit the lamp.', ['lamp', 'keeper'])
  const [best] = places('lamp keeper', { lamp: 1, keeper: 1 }, [far, near])
  deepStrictEqual(best?.source.n, 2)
})

Deno.test('a question for a number or a time is answered by a sentence that has one', () => {
  const lamp = source(1, 'The lamp shines. The lamp shines for forty hours. The lamp shone first in 1822.', ['lamp'])
  const said = (question: string) =>
    places(question, { lamp: 1 }, [lamp])[0]
      ?.units.map(({ text }) => text)
      .join(' ')
  deepStrictEqual(said('How long does the lamp burn?'), 'The lamp shines for forty hours.')
  deepStrictEqual(said('When was the lamp lit?'), 'The lamp shone first in 1822.')
  deepStrictEqual(said('What is a lamp?'), 'The lamp shines.')
})

Deno.test('a quote is whole sentences with their citation, each once', () => {
  const twice = [source(1, 'The lamp burns oil.', ['lamp']), source(2, 'The lamp burns oil.', ['lamp'])]
  deepStrictEqual(quote(places('What does the lamp burn?', { lamp: 1 }, twice)), [
    { text: 'The lamp burns oil.', cites: [1], supported: true },
  ])
})

const UNITS: readonly [string, string, string[]][] = [
  [
    'lines that are broken within a sentence',
    'The lamp\nburns oil. It\nshines.',
    ['The lamp burns oil.', 'It shines.'],
  ],
  ['a heading without a full stop', 'Oil\n\nThe lamp burns oil.', ['Oil', 'The lamp burns oil.']],
  ['a list with its sentence', 'It needs:\n- oil\n- a wick\nIt shines.', ['It needs:\n- oil\n- a wick', 'It shines.']],
  ['a list by itself', '1. oil\n2. a wick', ['1. oil', '2. a wick']],
  ['a list item over two lines', 'It needs:\n- oil of\n  olives', ['It needs:\n- oil of olives']],
  ['rows of a table', '| lamp | 40 |\n| bell | 3 |', ['| lamp | 40 |', '| bell | 3 |']],
  ['nothing', ' \n ', []],
]
for (const [name, text, expected] of UNITS) {
  Deno.test(`sentences: ${name}`, () => {
    const units = unitsOf(text)
    deepStrictEqual(
      units.map((one) => one.text),
      expected,
    )
    for (const { start, end } of units) ok(text.slice(start, end).trim() !== '')
  })
}

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
