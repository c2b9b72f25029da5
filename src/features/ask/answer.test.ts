import { expect, test } from 'vitest'
import {
  Answer,
  type AnswerEvent,
  applyEvent,
  applyToExchange,
  EMPTY_ANSWER,
  isQuoted,
  markedPieces,
  shownCitations,
  shownExchanges,
} from './answer.ts'
import { readEvents } from './mutations.ts'

const citation = (n: number) => ({
  n,
  passage_id: `p${n}`,
  document_id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001',
  title: 'T',
  page: null,
  heading: null,
  quote: 'q',
  recognized: false,
})

test('an answer grows as its events arrive', () => {
  const event: Exclude<AnswerEvent, { type: 'error' }>[] = [
    { type: 'sources', citations: [citation(1), citation(2), citation(3)], model: 'parrot' },
    { type: 'sentence', sentence: { text: 'A.', cites: [3] } },
    { type: 'sentence', sentence: { text: 'B.', cites: [1, 3] } },
    {
      type: 'done',
      outcome: 'answered',
      model: 'parrot',
      documents: 2,
      language: 'en',
      conversation_id: citation(1).document_id,
      question_id: citation(1).document_id,
    },
  ]
  const answer = event.reduce(applyEvent, EMPTY_ANSWER)
  expect(answer).toMatchObject({
    outcome: 'answered',
    documents: 2,
    language: 'en',
    sentences: [{ text: 'A.' }, { text: 'B.' }],
  })
  expect(shownCitations(answer).map(({ n, shown }) => [n, shown])).toEqual([
    [3, 1],
    [1, 2],
  ])
})

test('without a model all passages are shown, with the quoted sentences marked', () => {
  const answer: Answer = {
    ...EMPTY_ANSWER,
    outcome: 'quoted',
    sentences: [{ text: 'It needs: - oil - a wick', cites: [2] }],
    citations: [
      citation(1),
      { ...citation(2), quote: `${'The lamp is old. '.repeat(20)}It needs:\n- oil\n- a wick\nIt shines.` },
    ],
  }
  expect(shownCitations(answer).map(({ n, shown }) => [n, shown])).toEqual([
    [1, 1],
    [2, 2],
  ])
  const [first, second] = answer.citations.map((one) => markedPieces(one, answer.sentences))
  expect(first?.map(({ text, isMarked }) => [text, isMarked])).toEqual([['q', false]])
  expect(second?.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual(['It needs: - oil - a wick'])
  expect(second?.[0]?.text).toBe('… ')
  expect(second?.at(-1)?.text).toBe(' It shines.')
})

test('stored answers in an unknown format are ignored', () => {
  expect(Answer.parse({ sentences: 'none', outcome: 3 })).toEqual({
    outcome: 'not_found',
    model: null,
    sentences: [],
    citations: [],
    documents: null,
    language: null,
  })
})

const streamOf = (pieces: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })

async function collect(pieces: readonly string[]): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const event of readEvents(streamOf(pieces))) {
    all.push(event)
  }
  return all
}

test.each([
  ['whole', ['data: {"a":1}\n\ndata: {"a":2}\n\n']],
  ['split anywhere', ['da', 'ta: {"a"', ':1}\n', '\ndata: {"a":2}\r\n\r\n']],
  ['with comments and no final line break', [': hello\n\ndata: {"a":1}\n\nevent: x\ndata: {"a":2}']],
  ['with invalid JSON', ['data: {"a":1}\n\ndata: oops\n\ndata: {"a":2}\n\n']],
])('an event stream, %s', async (_name, pieces) => {
  expect(await collect(pieces)).toEqual([{ a: 1 }, { a: 2 }])
})

test('a pending question is shown until its answer is stored, without duplicates', () => {
  const stored = [{ id: 'q1', question: 'Where?', answer: { ...EMPTY_ANSWER, outcome: 'quoted' as const } }]
  const asked = { question: 'When?', answer: EMPTY_ANSWER }
  expect(shownExchanges(stored, undefined)).toBe(stored)
  expect(shownExchanges(stored, asked)).toEqual([...stored, asked])
  const done = applyToExchange(asked, {
    type: 'done',
    outcome: 'answered',
    model: 'parrot',
    documents: null,
    language: null,
    conversation_id: citation(1).document_id,
    question_id: 'q2',
  })
  expect(done).toMatchObject({ id: 'q2', question: 'When?', answer: { outcome: 'answered' } })
  expect(shownExchanges([...stored, done], done)).toHaveLength(2)
  expect([...stored, asked, done].map(({ answer }) => isQuoted(answer))).toEqual([true, false, false])
})
