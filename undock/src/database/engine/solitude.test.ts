import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { Solitude } from './solitude.ts'

/** Jobs that nobody else's are beside. @returns how many of them may be waited for. */
function alone(solitude: Solitude, jobs: number): number {
  let waited = 0
  for (let job = 0; job < jobs; job++) {
    solitude.note(0)
    if (!solitude.mayWait) continue
    waited += 1
    solitude.succeed()
  }
  return waited
}

describe.runIf(availableParallelism() > 1)('whoever asks one thing after another', () => {
  test('is waited for, once that is sure, and not each time', () => {
    const solitude = new Solitude()
    expect(alone(solitude, 20)).toBe(0)
    const waited = alone(solitude, 1_000)
    expect(waited).toBeGreaterThan(900)
    expect(waited).toBeLessThan(990)
    expect(solitude.isBusy).toBe(true)
  })

  test('is not when somebody comes beside', () => {
    const solitude = new Solitude()
    alone(solitude, 100)
    solitude.note(1)
    expect([solitude.mayWait, solitude.isBusy, alone(solitude, 20)]).toEqual([false, false, 0])
    expect(alone(solitude, 100)).toBeGreaterThan(50)
  })

  test('is left alone for longer and longer where waiting is of no use', () => {
    const solitude = new Solitude()
    alone(solitude, 40)
    let failures = 0
    for (let job = 0; job < 10_000; job++) {
      solitude.note(0)
      if (!solitude.mayWait) continue
      failures += 1
      solitude.fail()
    }
    expect(failures).toBeGreaterThan(5)
    expect(failures).toBeLessThan(100)
  })

  test('is waited for though it fails now and then', () => {
    const solitude = new Solitude()
    alone(solitude, 40)
    let waited = 0
    for (let round = 0; round < 50; round++) {
      waited += alone(solitude, 20)
      solitude.fail()
    }
    expect(waited).toBeGreaterThan(800)
  })
})
