// Sends mutated requests and frames of the official clients to every service; a million with `npm run test:nightly`.
import { expect, test } from 'vitest'
import { fuzz } from '../hostile/fuzz.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 600)
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9))

test('mutated requests cause no internal errors', { timeout: 7_200_000 }, async () => {
  const report = await fuzz({ requests: RUNS, seed: SEED })
  // The seed and the number of requests reproduce the run.
  expect({ SEED, faults: report.faults, errors: report.errors }).toEqual({ SEED, faults: [], errors: [] })
  expect(report.understood).toBeGreaterThan(1 / 3)
  expect(report.frames).toBeGreaterThan(RUNS / 50)
})
