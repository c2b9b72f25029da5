import { expect, test } from 'vitest'
import { readInBackground } from './background.ts'

/** Runs a browser with these scans that may read `allowed` times, then is stopped at the next pause. */
async function run(scans: readonly (readonly number[] | Error)[], allowed: readonly boolean[]) {
  const events: string[] = []
  const stop = new AbortController()
  const answers = [...allowed]
  const left = [...scans]
  await readInBackground(
    {
      mayRead: async () => answers.shift() ?? false,
      async open() {
        const scan = left.shift()
        events.push(scan ? 'open' : 'nothing')
        if (scan instanceof Error) throw scan
        return scan === undefined
          ? null
          : {
              pages: scan,
              total: scan.length,
              read: async (page) => {
                events.push(`page ${page}`)
                if (page === 13) throw new Error('It cannot be read.')
                return true
              },
              close: async (end) => void events.push(end),
            }
      },
      async pause(milliseconds) {
        events.push(`${milliseconds / 1000} s`)
        if (answers.length === 0) stop.abort()
      },
    },
    stop.signal,
  )
  return events
}

const YES = Array<boolean>(4).fill(true)

test('after a delay a new page reads scans one after the other', async () => {
  expect(await run([[1, 2], [7]], [...YES, true, true])).toEqual([
    ...['5 s', 'open', 'page 1', 'page 2', 'done'],
    ...['0 s', 'open', 'page 7', 'done'],
    ...['0 s', 'nothing', '30 s'],
  ])
})

test('a browser that may not read waits and checks again', async () => {
  expect(await run([[1]], [false, true, true])).toEqual(['5 s', '30 s', 'open', 'page 1', 'done', '0 s'])
})

test('reading stops between pages when it is no longer allowed, and releases the scan', async () => {
  expect(await run([[1, 2]], [true, true, false])).toEqual(['5 s', 'open', 'page 1', 'stopped', '30 s'])
})

test('a failed scan is released as failed, and others follow after a delay', async () => {
  expect(await run([[13, 14], [1]], YES)).toEqual([
    ...['5 s', 'open', 'page 13', 'failed'],
    ...['30 s', 'open', 'page 1', 'done', '0 s'],
  ])
})

test('after a failure to open a scan, the next attempt follows later', async () => {
  expect(await run([new Error('The network is down.'), [1]], [true, true, true])).toEqual([
    ...['5 s', 'open', '30 s', 'open', 'page 1', 'done', '0 s'],
  ])
})
