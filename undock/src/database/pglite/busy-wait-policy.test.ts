import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { BusyWaitPolicy } from './busy-wait-policy.ts'

/** Jobs that nobody else's are beside. @returns how many of them may be waited for. */
function alone(policy: BusyWaitPolicy, jobs: number): number {
  let waited = 0
  for (let job = 0; job < jobs; job++) {
    policy.recordJob(0)
    if (!policy.mayWait) continue
    waited += 1
    policy.recordSuccess()
  }
  return waited
}

describe.runIf(availableParallelism() > 1)('a caller that sends one query after another', () => {
  test('is waited for once the pattern is certain, and not each time', () => {
    const policy = new BusyWaitPolicy()
    expect(alone(policy, 20)).toBe(0)
    const waited = alone(policy, 1_000)
    expect(waited).toBeGreaterThan(900)
    expect(waited).toBeLessThan(990)
    expect(policy.isBusy).toBe(true)
  })

  test('is not waited for when another caller arrives', () => {
    const policy = new BusyWaitPolicy()
    alone(policy, 100)
    policy.recordJob(1)
    expect([policy.mayWait, policy.isBusy, alone(policy, 20)]).toEqual([false, false, 0])
    expect(alone(policy, 100)).toBeGreaterThan(50)
  })

  test('is left alone for increasing times when waiting is useless', () => {
    const policy = new BusyWaitPolicy()
    alone(policy, 40)
    let failures = 0
    for (let job = 0; job < 10_000; job++) {
      policy.recordJob(0)
      if (!policy.mayWait) continue
      failures += 1
      policy.recordFailure()
    }
    expect(failures).toBeGreaterThan(5)
    expect(failures).toBeLessThan(100)
  })

  test('is waited for although waiting sometimes fails', () => {
    const policy = new BusyWaitPolicy()
    alone(policy, 40)
    let waited = 0
    for (let round = 0; round < 50; round++) {
      waited += alone(policy, 20)
      policy.recordFailure()
    }
    expect(waited).toBeGreaterThan(800)
  })
})
