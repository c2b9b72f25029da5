import fc from 'fast-check'
import { expect, test } from 'vitest'
import { begin, reduce } from './reduce-writing.ts'
import { type Effect, type Event, type Open, type ReadResult, type State, writingOf } from './writing-state.ts'

const bytes = (n: number): Uint8Array => Uint8Array.of(n)
const OPENED: Event = { type: 'opened', version: 'v1', lastUpdate: 4, unsent: [], text: 'saved' }
const typed = (n = 1): Event => ({ type: 'typed', update: bytes(n) })
const stored = (upTo: number, number = 5): Event => ({ type: 'stored', upTo, number, text: 'kept' })
const read = (found: Partial<ReadResult> = {}): Event => ({
  type: 'read',
  found: { version: 'v1', lastUpdate: 5, isNews: false, ...found },
  text: 'kept',
})
const THEIRS = { version: 'v2', text: 'Theirs.', merged: undefined }
const failed = (during: 'send' | 'read' | 'merge' | 'save', why: Extract<Event, { type: 'failed' }>['why']): Event => ({
  type: 'failed',
  during,
  why,
  error: why,
})
const network = (isOnline: boolean): Event => ({ type: 'network', isOnline })
const SAVE: Event = { type: 'asked', to: 'save', text: 'kept' }
const LEAVE: Event = { type: 'asked', to: 'leave', text: 'kept' }
const STORE: Event = { type: 'elapsed', timer: 'store', isFirst: true }
const SAVED: Event = { type: 'saved', version: { id: 'v2', body: 'Mine.', isPublished: true } }

/** Returns the state after these events, and the effects of the last one. */
function play(...events: Event[]): { state: State; step: string | undefined; effects: readonly Effect[] } {
  let [state, effects] = begin(true)
  for (const event of [OPENED, ...events]) [state, effects] = reduce(state, event)
  return { state, step: writingOf(state)?.step, effects: effects.filter(({ type }) => type !== 'wait') }
}

test('typed text is broadcast immediately, sent shortly after, and kept until stored', () => {
  expect(play(typed())).toMatchObject({ step: 'writing', effects: [{ type: 'tell', update: bytes(1) }] })
  expect(play(typed(1), typed(2), STORE)).toMatchObject({
    step: 'writing',
    effects: [{ type: 'send', version: 'v1', updates: [bytes(1), bytes(2)], upTo: 2, thenSave: false }],
  })
  expect(play(typed(), STORE, stored(1))).toMatchObject({
    step: 'kept',
    state: { changes: [], lastUpdate: 5 },
    effects: [{ type: 'announce', number: 5 }],
  })
  // What was written during the request follows it.
  expect(play(typed(1), STORE, typed(2), STORE, stored(1)).effects).toMatchObject([
    { type: 'announce' },
    { type: 'send', updates: [bytes(2)], upTo: 2 },
  ])
})

test('remote updates are sent only together with own changes', () => {
  const heard: Event = { type: 'heard', update: bytes(9) }
  expect(play(heard, STORE)).toMatchObject({ step: 'kept', effects: [] })
  expect(play(heard, typed(), STORE).effects).toMatchObject([{ type: 'send', updates: [bytes(9), bytes(1)] }])
})

test('offline, changes wait as one update, and leaving saves it later', () => {
  const away = [network(false), typed(1), STORE] as const
  expect(play(...away).step).toBe('waiting')
  expect(play(...away, typed(2), STORE).effects).toMatchObject([{ updates: [bytes(1), bytes(2)], thenSave: false }])
  expect(play(...away, SAVE).effects).toEqual([{ type: 'answer', isSafe: true }])
  expect(play(...away, LEAVE)).toMatchObject({
    state: { kind: 'ended', why: 'left' },
    effects: [{ type: 'send', updates: [bytes(1)], thenSave: true }, { type: 'close' }],
  })
  expect(play(...away, network(true)).effects).toEqual([{ type: 'read', after: 4 }])
})

test('a version is saved after sending and reading everything', () => {
  expect(play(typed(), SAVE)).toMatchObject({ step: 'saving', effects: [{ type: 'send', upTo: 1 }] })
  expect(play(typed(), SAVE, stored(1)).effects).toEqual([
    { type: 'announce', number: 5 },
    { type: 'read', after: 5 },
  ])
  expect(play(typed(), SAVE, stored(1), read()).effects).toEqual([{ type: 'save', basedOn: 'v1', lastUpdate: 5 }])
  const saved = play(typed(), SAVE, stored(1), read(), SAVED)
  expect(saved).toMatchObject({ step: 'saved', state: { version: 'v2' } })
  expect(saved.effects.map(({ type }) => type)).toEqual(['publish', 'answer'])
})

test('saving again during a save waits for the newer text', () => {
  const saving = [typed(), SAVE, stored(1), read(), typed(2)]
  expect(play(...saving, SAVE).effects).toMatchObject([{ type: 'send', updates: [bytes(2)] }])
  expect(play(...saving, SAVE, SAVED).effects).toMatchObject([{ type: 'publish' }])
  expect(play(...saving, SAVE, SAVED, stored(2)).effects).toMatchObject([{ type: 'announce' }, { type: 'read' }])
  expect(play(...saving, SAVED).effects).toMatchObject([{ type: 'publish' }, { type: 'answer', isSafe: true }])
})

test('a newer version is merged before saving, with a limited number of retries', () => {
  const newer = read({ newer: { ...THEIRS, merged: 'Both.' } })
  const merging = [typed(), SAVE, stored(1), newer]
  expect(play(...merging).effects).toEqual([{ type: 'merge', from: 'v1', to: 'v2', text: 'Both.' }])
  const merged: Event = { type: 'merged', version: 'v2', number: 6, text: 'kept' }
  expect(play(...merging, merged).effects).toContainEqual({ type: 'save', basedOn: 'v2', lastUpdate: 6 })
  expect(play(...merging, failed('merge', 'conflict')).effects).toEqual([{ type: 'read', after: 5 }])
  const tries = Array(6)
    .fill([newer, failed('merge', 'conflict')])
    .flat()
  expect(play(SAVE, ...tries)).toMatchObject({ step: 'failed', effects: [{ type: 'answer', isSafe: false }] })
})

test('conflicting texts are shown until the user decides', () => {
  const clash = [typed(), SAVE, stored(1), read({ newer: THEIRS })]
  expect(play(...clash)).toMatchObject({ step: 'conflict', state: { clash: { theirs: 'Theirs.', version: 'v2' } } })
  expect(play(...clash).effects).toEqual([{ type: 'answer', isSafe: false }])
  const decided = [...clash, { type: 'decided', text: 'theirs' }, read({ newer: THEIRS })] as const
  expect(play(...decided).effects).toEqual([{ type: 'merge', from: 'v1', to: 'v2', text: 'Theirs.' }])
  expect(play(...decided, failed('merge', 'other'))).toMatchObject({
    step: 'failed',
    state: { clash: { version: 'v2' } },
  })
  expect(play(...clash, { type: 'decided', text: 'mine' }, read({ newer: { ...THEIRS, version: 'v3' } })).step).toBe(
    'conflict',
  )
})

test('a read that ends after the decision does not report the conflict again', () => {
  const events: Event[] = [typed(), STORE, stored(1), { type: 'asked', to: 'read' }, read({ newer: THEIRS })]
  const late: Event[] = [{ type: 'asked', to: 'read' }, { type: 'decided', text: 'mine' }, read({ newer: THEIRS })]
  expect(play(...events).step).toBe('conflict')
  expect(play(...events, ...late)).toMatchObject({
    step: 'saving',
    effects: [{ type: 'merge', to: 'v2', text: undefined }],
  })
  const merged: Event = { type: 'merged', version: 'v2', number: 6, text: 'kept' }
  expect(play(...events, ...late, merged, SAVED)).toMatchObject({ step: 'saved', state: { clash: undefined } })
})

test('in a new history, unsent changes are handed over before the note is reopened', () => {
  expect(play(failed('read', 'moved'))).toMatchObject({ state: { kind: 'opening' } })
  const moved = play(typed(), STORE, failed('send', 'conflict'))
  expect(moved).toMatchObject({
    state: { kind: 'moving' },
    effects: [{ type: 'answer' }, { type: 'send', thenSave: true }],
  })
  const retry: Event = { type: 'elapsed', timer: 'retry', isFirst: true }
  const handing = [typed(), STORE, failed('send', 'conflict'), failed('send', 'other'), retry]
  expect(play(...handing).effects).toMatchObject([{ type: 'send', thenSave: true }])
  expect(play(...handing, failed('send', 'refused'))).toMatchObject({ step: 'refused', effects: [{ type: 'refuse' }] })
  expect(play(...handing, stored(1)).effects).toEqual([{ type: 'open' }])
  expect(play(...handing, LEAVE, stored(1)).effects).toEqual([{ type: 'close' }])
})

test('a writer without permission sends nothing, and knows whether everything is stored', () => {
  expect(play(typed(), STORE, failed('send', 'refused'))).toMatchObject({ step: 'refused', state: { isStored: false } })
  expect(play({ type: 'asked', to: 'stop' }, typed(), STORE)).toMatchObject({ state: { isStored: true }, effects: [] })
  expect(play({ type: 'asked', to: 'stop' }, LEAVE).effects).toEqual([{ type: 'close' }])
})

test('an outdated page still sends, but neither reads nor saves', () => {
  const outdated = [typed(), STORE, stored(1), { type: 'asked', to: 'read' }, failed('read', 'outdated')] as const
  expect(play(...outdated, typed(2), STORE)).toMatchObject({ step: 'outdated', effects: [{ type: 'send' }] })
  expect(play(...outdated, SAVE).effects).toEqual([{ type: 'answer', isSafe: true }])
  expect(play(...outdated, { type: 'asked', to: 'read' }).effects).toEqual([])
})

test('a text that is too long is kept but not saved', () => {
  const long: Event = { type: 'asked', to: 'save', text: 'too-long' }
  expect(play(typed(), STORE, stored(1), long)).toMatchObject({ step: 'too-long', effects: [{ isSafe: false }] })
})

test('only the first writer saves after a pause', () => {
  const silence = (isFirst: boolean): Event => ({ type: 'elapsed', timer: 'silence', isFirst })
  const kept = [typed(), STORE, stored(1)]
  expect(play(...kept, silence(true))).toMatchObject({ step: 'saving', effects: [{ type: 'read' }] })
  expect(play(...kept, silence(false)).step).toBe('kept')
  expect(play(silence(true)).effects).toEqual([])
})

const someEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(255).map(typed) },
  { weight: 3, arbitrary: fc.constantFrom(STORE, SAVE, SAVED, network(false), network(true)) },
  fc.nat(9).map((number): Event => ({ type: 'heard', update: bytes(number) })),
  fc.nat(30).map((upTo) => stored(upTo)),
  fc.constantFrom(read(), read({ newer: THEIRS }), read({ newer: { ...THEIRS, merged: 'Both.' } })),
  fc.constantFrom<Event>({ type: 'decided', text: 'mine' }, { type: 'merged', version: 'v2', number: 6, text: 'kept' }),
  fc
    .tuple(fc.constantFrom('send', 'read', 'merge', 'save'), fc.constantFrom('conflict', 'outdated', 'other'))
    .filter(([during, why]) => during !== 'send' || why === 'other')
    .map(([during, why]) => failed(during as 'send', why as 'other')),
)

test('events in any order never drop typed text before it is stored', () => {
  fc.assert(
    fc.property(fc.array(someEvent, { maxLength: 60 }), (events) => {
      let [state] = reduce(begin(true)[0], OPENED)
      let expected: number[] = []
      let count = 0
      for (const event of events) {
        const { sent } = state as Open
        const next: Event = event.type === 'stored' ? { ...event, upTo: Math.min(event.upTo, sent) } : event
        if (next.type === 'typed' || next.type === 'heard') count += 1
        if (next.type === 'typed') expected.push(count)
        if (next.type === 'stored') expected = expected.filter((number) => number > next.upTo)
        ;[state] = reduce(state, next)
      }
      expect((state as Open).changes.filter(({ isMine }) => isMine).map(({ number }) => number)).toEqual(expected)
      const [, effects] = reduce({ ...(state as Open), isOnline: false, saving: undefined }, LEAVE)
      expect(effects.some(({ type }) => type === 'send')).toBe(expected.length > 0)
    }),
  )
})
