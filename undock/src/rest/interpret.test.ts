import { expect, test } from 'vitest'
import { Interpreter } from './interpret.ts'
import type { HttpRequest } from './request/request.ts'
import { StageTimes } from './response/server-timing.ts'
import type { Known } from './schema-cache/holder.ts'
import { LIBRARY, settingsWith } from './testing/library.ts'

const known = (): Known => ({
  settings: settingsWith(),
  sessionSettings: {},
  roleSettings: new Map(),
  cache: LIBRARY,
})
const request = (search: string, headers: Record<string, string> = {}, method = 'GET'): HttpRequest => ({
  method,
  path: '/books',
  search,
  headers: new Headers(headers),
  body: new TextEncoder().encode('{}'),
})

function open() {
  const interpreter = new Interpreter()
  return (http: HttpRequest, of: Known) => interpreter.interpret(http, of, () => false, new StageTimes())
}

test('a read that comes again is what it was the first time, until something else is known of the database', () => {
  const interpret = open()
  const before = known()
  const first = interpret(request('?id=eq.1', { 'x-request': 'one' }), before)
  expect(interpret(request('?id=eq.1', { 'x-request': 'two' }), before)).toBe(first)
  const after = interpret(request('?id=eq.1'), known())
  expect(after).not.toBe(first)
  expect(after).toEqual(first)
})

test.each<[string, HttpRequest]>([
  ['a value', request('?id=eq.2')],
  ['a preference', request('?id=eq.1', { prefer: 'count=exact' })],
  ['what is accepted', request('?id=eq.1', { accept: 'text/csv' })],
  ['a range', request('?id=eq.1', { range: '0-1' })],
  ['the method', request('?id=eq.1', {}, 'HEAD')],
])('%s makes it another read', (_, other) => {
  const interpret = open()
  const same = known()
  const first = interpret(request('?id=eq.1'), same)
  expect(interpret(other, same)).not.toEqual(first)
  expect(interpret(request('?id=eq.1'), same)).toBe(first)
})

test('a write is never kept, and what was refused is refused again', () => {
  const interpret = open()
  const same = known()
  const write = request('?id=eq.1', { 'content-type': 'application/json' }, 'PATCH')
  expect(interpret(write, same)).not.toBe(interpret(write, same))
  for (let time = 0; time < 2; time++)
    expect(() => interpret(request('?id=eq'), same)).toThrow(expect.objectContaining({ code: 'PGRST100' }))
})

test('the oldest make room', () => {
  const interpret = open()
  const same = known()
  const first = interpret(request('?id=eq.0'), same)
  for (let id = 1; id <= 500; id++) interpret(request(`?id=eq.${id}`), same)
  const last = interpret(request('?id=eq.500'), same)
  expect(interpret(request('?id=eq.500'), same)).toBe(last)
  expect(interpret(request('?id=eq.0'), same)).not.toBe(first)
})
