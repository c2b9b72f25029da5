import { expect, test } from 'vitest'
import { answerLive } from './http.ts'
import type { RequestRecord } from './records.ts'
import type { Timeline } from './timeline.ts'

test('sends only the newest requests of a burst, and the number of the others', async () => {
  let tell: (record: RequestRecord) => void = () => undefined
  const timeline: Pick<Timeline, 'follow'> = {
    follow(listener) {
      tell = listener
      return () => undefined
    },
  }
  const record = (id: number, status: number) =>
    ({ id: String(id), status, service: 'rest', duration: 1, spans: [] }) as unknown as RequestRecord
  const { body } = answerLive(timeline as Timeline, new Request('http://a/requests/live?failed=true'))
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toContain(': requests follow')
  for (let id = 0; id < 300; id++) tell(record(id, id % 2 === 0 ? 500 : 200))
  const events = ((await reader?.read())?.value ?? '').trim().split('\n\n')
  expect(events[0]).toBe(': 100 more')
  const ids = events.slice(1).map((event) => JSON.parse(event.replace('data: ', '')).id)
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, '200', '298'])

  tell(record(300, 500))
  expect((await reader?.read())?.value).toMatch(/^data: .*"id":"300"/)
  await reader?.cancel()
})
